// Types of the dialect as a caller may meet them before an op's verifier has.
#pragma once

#include "mlir/IR/Types.h"

namespace raf {

/// Whether tensors of the dialect may hold elements of this type (those that dtypeOf knows).
bool isElementType(mlir::Type type);

} // namespace raf
