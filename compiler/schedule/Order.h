// Pass --raf-schedule: the order in which kernels run.
#pragma once

#include "compiler/ir/Raf.h"

#include "mlir/Pass/Pass.h"

namespace raf::schedule {

/// Reorders the kernels of a function after --raf-insert-copies so that the peak of the values
/// alive at once is low. Several orders are built and the one with the lowest peak is taken, the
/// given one when none is better. Every reader of an old state value comes before the kernel that
/// overwrites it. Deterministic; numerics-preserving.
mlir::LogicalResult scheduleKernels(mlir::func::FuncOp func);

std::unique_ptr<mlir::Pass> createSchedulePass();

} // namespace raf::schedule
