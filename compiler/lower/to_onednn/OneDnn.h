#pragma once

#include "compiler/ir/Raf.h"

#include "compiler/lower/to_onednn/OneDnnDialect.h.inc"
#define GET_OP_CLASSES
#include "compiler/lower/to_onednn/OneDnnOps.h.inc"

namespace raf::onednn {

/// oneDNN wants one of the two matrix dimensions contiguous and the other's stride to cover it;
/// leading (batch) dimensions may have any stride.
bool acceptsMatrix(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides);

} // namespace raf::onednn
