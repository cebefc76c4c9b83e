// What can be said of a forward model without compiling it.
#pragma once

#include "compiler/api/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace raf {

/// Arguments, results and arithmetic of @forward, and the bytes that its derivative keeps. The
/// module is left as it is.
ModelInfo describeModel(mlir::ModuleOp module, const std::string &name);

/// @forward in Graphviz's language: an ellipse for each argument, a box for each op.
std::string graphOf(mlir::ModuleOp module);

} // namespace raf
