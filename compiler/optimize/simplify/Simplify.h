// Rewrites that keep every bit of every result (docs/design/autodiff.md).
#pragma once

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace raf {

/// Folds, merges views, shares common subexpressions and drops dead ops, in every function outside
/// of kernels.
std::unique_ptr<mlir::Pass> createSimplifyPass();
void registerSimplifyPass();

// The rules by kind; each is exact for all inputs, signed zeros, infinities and NaN included (up to
// a NaN's sign and payload).
void addAlgebraPatterns(mlir::RewritePatternSet &patterns);
void addViewPatterns(mlir::RewritePatternSet &patterns);
void addMatmulPatterns(mlir::RewritePatternSet &patterns);

} // namespace raf
