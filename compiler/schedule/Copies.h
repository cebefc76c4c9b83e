// Pass --raf-insert-copies: the few copies that make in-place execution possible.
#pragma once

#include "compiler/ir/Raf.h"

#include "mlir/Pass/Pass.h"

namespace raf::schedule {

/// For functions after the cover. Inserts a copy kernel (a gen.kernel that yields its input)
///  * before a reshape that strides cannot express,
///  * for a kernel operand whose strides the kernel does not accept,
///  * for a result that does not lie contiguously, is a caller's input, or is state that is
///    overwritten,
///  * for a new state value that no kernel makes of its own,
///  * of an old state value that is still read when its successor is written.
/// Drops what nobody uses and stores one element of a splat constant, broadcast.
/// Afterwards every raf.updates result is a kernel's result of its own, and some order exists in
/// which each old state value is read before it is overwritten.
mlir::LogicalResult insertCopies(mlir::func::FuncOp func);

std::unique_ptr<mlir::Pass> createInsertCopiesPass();

} // namespace raf::schedule
