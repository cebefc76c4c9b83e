// Which groups have a loop nest, as long as code generation does not say so itself: a conservative
// rule that its own, strongly linked answer replaces.
#pragma once

#include "compiler/ir/Raf.h"

namespace raf::cover {

LoopRole standInRole(mlir::Operation *op);

} // namespace raf::cover
