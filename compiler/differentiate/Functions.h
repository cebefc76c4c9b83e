// Arguments and results of the model's functions by their names (docs/design/spine.md).
#pragma once

#include "compiler/ir/Raf.h"

#include <string>

namespace raf {

/// A result of a function, with its attributes.
struct FunctionResult {
  mlir::Value value;
  mlir::DictionaryAttr attributes;

  llvm::StringRef name() const;
  /// Name of the state it replaces, empty when it replaces none.
  llvm::StringRef updates() const;
};

llvm::StringRef argumentName(mlir::func::FuncOp f, unsigned i);
llvm::StringRef argumentKind(mlir::func::FuncOp f, unsigned i);
bool hasArgumentFlag(mlir::func::FuncOp f, unsigned i, llvm::StringRef flag);

std::vector<FunctionResult> resultsOf(mlir::func::FuncOp f);
/// Replaces what `f` returns, and its type with it.
void setResults(mlir::func::FuncOp f, llvm::ArrayRef<FunctionResult> results);
FunctionResult namedResult(mlir::Value value, llvm::StringRef name);

/// The function of that name, or null after an error that names it.
mlir::func::FuncOp lookupFunction(mlir::ModuleOp module, llvm::StringRef name);
/// A copy of `f` named `name` after it in the module; an earlier function of that name is replaced.
mlir::func::FuncOp copyFunction(mlir::ModuleOp module, mlir::func::FuncOp f, llvm::StringRef name);

} // namespace raf
