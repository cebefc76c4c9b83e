// What every stage after the cover relies on. A function holds kernel ops, views
// (compiler/ir/Views.h) and constants only, so every value is a strided window of one root: a
// kernel's result, a function argument or a constant.
#pragma once

#include "compiler/ir/Views.h"

namespace raf::schedule {

/// Arenas, states and constants are laid out in steps of this many bytes.
inline constexpr uint64_t kAlignment = 64;

inline uint64_t alignUp(uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Kernel ops are launches: what the order orders and the plan gives memory to.
inline bool isKernel(mlir::Operation *op) { return mlir::isa<KernelOpInterface>(op); }
/// The value whose memory `value` lies in.
inline mlir::Value rootOf(mlir::Value value) { return viewLayout(value).base; }

/// Bytes of a value when it lies contiguously.
uint64_t bytesOf(mlir::Value value);

/// Name of the state that an argument is, or empty for inputs and the random key.
llvm::StringRef stateName(mlir::Value value);
/// For each result of `func`, the argument whose state it replaces (raf.updates), or null.
llvm::SmallVector<mlir::BlockArgument> updatedArguments(mlir::func::FuncOp func);
/// Terminator of the function's only block.
mlir::Operation *returnOf(mlir::func::FuncOp func);

/// Checks what every stage after the cover relies on: one block, kernel ops, views and constants
/// only, raf.updates that name an argument of the result's type. Emits located errors.
mlir::LogicalResult checkCovered(mlir::func::FuncOp func);

} // namespace raf::schedule
