// Reverse-mode differentiation of a forward model (docs/design/autodiff.md).
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"

#include <string>
#include <vector>

namespace raf {

/// Attaches a derivative to every op of the dialect.
void registerDerivatives(mlir::DialectRegistry &registry);

/// Gradients of `loss` (rank-0 float) with respect to each of `wrt` (float values of the same
/// block), built at the end of that block, before its terminator. Null where the gradient is zero.
/// Ops in the way that have no rule of their own are replaced by their decomposition. Fails with a
/// diagnostic for each op that has no derivative.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> buildGradients(mlir::Value loss,
                                                               llvm::ArrayRef<mlir::Value> wrt);

struct DifferentiateOptions {
  std::string function = "forward";      // what is differentiated
  std::string result = "value_and_grad"; // name of the new function
  std::string loss;                // raf.name of the result to differentiate; empty: the first
  bool outputs = false;            // keep the other results of the forward
  std::vector<std::string> inputs; // inputs that need gradients, besides the parameters
};

std::unique_ptr<mlir::Pass> createDifferentiatePass(const DifferentiateOptions &options = {});
void registerDifferentiatePasses();

} // namespace raf
