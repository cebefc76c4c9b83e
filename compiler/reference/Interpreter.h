// The reference interpreter: slow, readable, and right. Every other path is compared with it.
#pragma once

#include "compiler/ir/Raf.h"
#include "compiler/reference/HostTensor.h"

namespace raf {

/// Attaches ReferenceOpInterface to every op that is not evaluated by its decomposition, and to the
/// kernel ops.
void registerReference(mlir::DialectRegistry &registry);

enum class Precision {
  /// Each op computes in double and rounds its results to their types once.
  Exact,
  /// All float types are evaluated in double: what the program means without rounding.
  Float64,
};

/// Evaluates `function` (raf ops, gen.kernel, library kernels; no branches). In Float64 precision
/// all float results come as F64. Fails with a located diagnostic.
mlir::FailureOr<llvm::SmallVector<HostTensor>>
evaluate(mlir::func::FuncOp function, llvm::ArrayRef<HostTensor> arguments, Precision precision);

} // namespace raf
