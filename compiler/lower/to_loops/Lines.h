// Loops over several dimensions with run-time extents and strides, for anchors.
#pragma once

#include "compiler/lower/to_loops/Plan.h"

namespace raf::gen {

/// A tensor seen by an anchor: strides of some dimensions as parameters.
struct StridesPlan {
  int first = 0; // number of the first stride among the parameters
  int rank = 0;
};

StridesPlan addStrides(KernelPlan &plan, llvm::ArrayRef<int64_t> strides);

/// Element offset of an index.
llvm::Value *offsetOf(KernelFunction &k, const StridesPlan &strides,
                      llvm::ArrayRef<llvm::Value *> index);

/// Splits a linear number into the indices of dimensions whose extents are parameters `extents`,
/// innermost last.
llvm::SmallVector<llvm::Value *> unravel(KernelFunction &k, llvm::Value *linear,
                                         llvm::ArrayRef<int> extents);

/// Calls `body` with every index in row-major order.
void forEach(KernelFunction &k, llvm::ArrayRef<int> extents,
             llvm::function_ref<void(llvm::ArrayRef<llvm::Value *>)> body);

/// lane < count
llvm::Value *laneMask(KernelFunction &k, llvm::Value *count, unsigned lanes);

} // namespace raf::gen
