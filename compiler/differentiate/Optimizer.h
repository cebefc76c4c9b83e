// From loss and gradients to a training step: gradient norm, clipping, one update per parameter
// (docs/design/autodiff.md).
#pragma once

#include "compiler/api/Compiler.h"

#include "mlir/Pass/Pass.h"

namespace raf {

struct OptimizerOptions {
  OptimizerSpec spec;
  double clipGradNorm = 0; // 0: off
  bool outputs = false;    // return the other results of value_and_grad after grad_norm
  bool keep = false;       // leave @value_and_grad in the module
  std::string function = "value_and_grad", result = "train_step";
};

/// Makes @train_step from @value_and_grad:
///   (params, buffers, optimizer state, inputs, lr : tensor<f32>, key : tensor<2xi64>)
///   -> (new state, loss, grad_norm : tensor<f32>, [outputs])
std::unique_ptr<mlir::Pass> createOptimizerPass(const OptimizerOptions &options = {});

} // namespace raf
