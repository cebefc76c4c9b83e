// Composite ops written with simpler ones (docs/design/ir.md). Differentiation of an op without a
// rule, fused groups and the reference all use these formulas, so there is one definition of what a
// composite op computes.
#pragma once

#include "compiler/ir/Raf.h"

namespace raf {

/// Attaches DecomposableOpInterface to every composite op.
void registerDecompositions(mlir::DialectRegistry &registry);

/// --raf-decompose: replaces composite ops until none is left, or only those named in ops=.
void registerDecomposePass();

/// The body of --raf-decompose: decomposes every composite op below `root` for which `wanted`
/// holds. What a formula is made of is asked about again.
void decomposeAll(mlir::Operation *root, llvm::function_ref<bool(mlir::Operation *)> wanted);

} // namespace raf
