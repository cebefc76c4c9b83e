// The forward model, wherever it comes from, as a module with @forward (docs/design/spine.md).
#pragma once

#include "compiler/api/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace raf {

/// Reads a .mlir file or builds a model of the zoo. The result is verified and its @forward checked
/// by checkForward. Throws UsageError for a spec or size that makes no sense, InvalidFileError for
/// a file that is no such model.
mlir::OwningOpRef<mlir::ModuleOp> importModel(mlir::MLIRContext &context,
                                              const ModelSource &source);

/// (F1) there is a function @forward with one block;
/// (F2) arguments are raf tensors with a name of their own and a known kind;
/// (F3) "key" is at most one tensor<2xi64>;
/// (F4) parameters say how a fresh run fills them;
/// (F5) results have a name of their own, or update a buffer of their type.
/// Emits located errors.
mlir::LogicalResult checkForward(mlir::ModuleOp module);

} // namespace raf
