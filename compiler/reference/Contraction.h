// The matrix product, shared by raf.matmul and onednn.matmul.
#pragma once

#include "compiler/reference/Models.h"

namespace raf::reference {

/// Products of (..., M, K) and (..., K, N), or of their transposes, summed in double: row-major
/// elements of `shape`, not rounded.
std::vector<double> multiply(const HostTensor &a, const HostTensor &b, bool transposeA,
                             bool transposeB, llvm::ArrayRef<int64_t> shape);

} // namespace raf::reference
