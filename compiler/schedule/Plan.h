// Pass --raf-plan: where every value lies.
#pragma once

#include "compiler/ir/Raf.h"

#include "mlir/Pass/Pass.h"

namespace raf::schedule {

/// Gives every value of every function a place (Place.h), written into attributes:
/// * arguments: state at its offset in the state table, the others as inputs in order;
/// * results with raf.updates: the state's own memory; a kernel's result over an operand that dies
///   there, where the kernel allows it; all others in the arena, packed by live range;
/// * constants: packed once for all functions, equal bytes once;
/// * views: their operand's memory.
/// Functions must have gone through --raf-insert-copies and --raf-schedule.
mlir::LogicalResult planModule(mlir::ModuleOp module);

std::unique_ptr<mlir::Pass> createPlanPass();

/// The bytes of all constants at their planned offsets.
std::vector<uint8_t> constantBytes(mlir::ModuleOp module);

} // namespace raf::schedule
