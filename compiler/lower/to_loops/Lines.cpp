#include "compiler/lower/to_loops/Lines.h"

namespace raf::gen {

using llvm::Value;

StridesPlan addStrides(KernelPlan &plan, llvm::ArrayRef<int64_t> strides) {
  StridesPlan added{static_cast<int>(plan.params.size()), static_cast<int>(strides.size())};
  for (int64_t stride : strides)
    plan.param(stride);
  return added;
}

Value *offsetOf(KernelFunction &k, const StridesPlan &strides, llvm::ArrayRef<Value *> index) {
  Value *sum = k.i64(0);
  for (auto [i, at] : llvm::enumerate(index))
    sum = k.ir.CreateAdd(sum, k.ir.CreateMul(at, k.params[strides.first + i]));
  return sum;
}

llvm::SmallVector<Value *> unravel(KernelFunction &k, Value *linear, llvm::ArrayRef<int> extents) {
  llvm::SmallVector<Value *> index(extents.size());
  for (int i = static_cast<int>(extents.size()) - 1; i >= 0; --i) {
    Value *extent = k.params[extents[i]];
    index[i] = i == 0 ? linear : k.ir.CreateURem(linear, extent);
    linear = i == 0 ? linear : k.ir.CreateUDiv(linear, extent);
  }
  return index;
}

static void forEachFrom(KernelFunction &k, llvm::ArrayRef<int> extents,
                        llvm::SmallVector<Value *> &index,
                        llvm::function_ref<void(llvm::ArrayRef<Value *>)> body) {
  if (index.size() == extents.size())
    return body(index);
  k.loop(k.i64(0), k.params[extents[index.size()]], k.i64(1), [&](Value *i) {
    index.push_back(i);
    forEachFrom(k, extents, index, body);
    index.pop_back();
  });
}

void forEach(KernelFunction &k, llvm::ArrayRef<int> extents,
             llvm::function_ref<void(llvm::ArrayRef<Value *>)> body) {
  llvm::SmallVector<Value *> index;
  forEachFrom(k, extents, index, body);
}

Value *laneMask(KernelFunction &k, Value *count, unsigned lanes) {
  llvm::SmallVector<uint64_t> ids(lanes);
  for (unsigned i = 0; i < lanes; ++i)
    ids[i] = i;
  return k.ir.CreateICmpSLT(llvm::ConstantDataVector::get(k.ir.getContext(), ids),
                            k.b.splat(count, lanes));
}

} // namespace raf::gen
