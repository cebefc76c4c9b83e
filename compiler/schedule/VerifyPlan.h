// Pass --raf-verify-plan: a plan cannot make a kernel read what another one has overwritten.
#pragma once

#include "compiler/ir/Raf.h"

#include "mlir/Pass/Pass.h"

namespace raf::schedule {

/// Walks each function's kernels in order over its planned places and refuses with a located error
/// (C1) a value outside of its space, or not aligned to its elements,
/// (C2) a view that is not the window of its operand that its op says,
/// (C3) a result that overlaps another result, or an operand of its kernel that it may not
/// overwrite, (C4) a read of a value whose memory a kernel has written since, (C5) a read of a
/// state's old value after the state was overwritten, (C6) a new state value that does not end in
/// the state's memory, or state written without an update, (C7) a result in a caller's input or in
/// constants, (C8) an operand with strides that its kernel does not accept, or a result or output
/// that is not contiguous. It shares no code with the planner but the meaning of views.
mlir::LogicalResult verifyPlan(mlir::ModuleOp module);

std::unique_ptr<mlir::Pass> createVerifyPlanPass();

} // namespace raf::schedule
