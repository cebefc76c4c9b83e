// Where in the user's program a kernel comes from.
#pragma once

#include "mlir/IR/OpDefinition.h"

#include <string>

namespace raf::emit {

/// `source` is "file:line", `modulePath` the module's path ("h.3.attn"); empty where locations do
/// not say.
struct Origin {
  std::string source, modulePath;
};

/// From the locations of `op` and of what it holds. A fused kernel has the first source line that
/// is found and the longest path that encloses all of its ops.
Origin originOf(mlir::Operation *op);

} // namespace raf::emit
