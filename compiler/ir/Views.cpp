#include "compiler/ir/Views.h"

using namespace mlir;

namespace raf {

bool ViewLayout::isContiguous(llvm::ArrayRef<int64_t> shape) const {
  if (llvm::is_contained(shape, 0))
    return true;
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected)
      return false;
    expected *= shape[i];
  }
  return true;
}

llvm::SmallVector<int64_t> contiguousStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

std::optional<llvm::SmallVector<int64_t>> reshapedStrides(llvm::ArrayRef<int64_t> from,
                                                          llvm::ArrayRef<int64_t> strides,
                                                          llvm::ArrayRef<int64_t> to) {
  if (llvm::is_contained(from, 0))
    return contiguousStrides(to);
  // Runs of operand dimensions that one stride walks, innermost first: (extent, stride). Extents of
  // 1 take no part.
  llvm::SmallVector<std::pair<int64_t, int64_t>> runs;
  for (size_t i = from.size(); i-- > 0;) {
    if (from[i] == 1)
      continue;
    if (!runs.empty() && strides[i] == runs.back().first * runs.back().second)
      runs.back().first *= from[i];
    else
      runs.push_back({from[i], strides[i]});
  }
  llvm::SmallVector<int64_t> result(to.size());
  size_t run = 0;
  int64_t left = runs.empty() ? 1 : runs[0].first, stride = runs.empty() ? 1 : runs[0].second;
  for (size_t i = to.size(); i-- > 0;) {
    if (to[i] != 1 && left == 1) {
      if (++run == runs.size())
        return std::nullopt;
      std::tie(left, stride) = runs[run];
    }
    result[i] = stride;
    if (to[i] == 1)
      continue;
    // A result dimension must lie within one run.
    if (left % to[i] != 0)
      return std::nullopt;
    left /= to[i];
    stride *= to[i];
  }
  return result;
}

bool isViewKind(Operation *op) {
  return isa_and_nonnull<ReshapeOp, TransposeOp, SliceOp, BroadcastOp>(op);
}

std::optional<ViewLayout> applyView(Operation *op, const ViewLayout &operand) {
  llvm::ArrayRef<int64_t> from = shapeOf(op->getOperand(0)), to = shapeOf(op->getResult(0));
  ViewLayout layout{operand.base, operand.offset, llvm::SmallVector<int64_t>(to.size(), 0)};
  if (isa<ReshapeOp>(op)) {
    auto reshaped = reshapedStrides(from, operand.strides, to);
    if (!reshaped)
      return std::nullopt;
    layout.strides = std::move(*reshaped);
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    for (auto [i, p] : llvm::enumerate(transpose.getPermutation()))
      layout.strides[i] = operand.strides[p];
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    // A window without elements touches nothing; its offset must not point behind the base.
    const bool empty = llvm::is_contained(to, 0);
    for (size_t i = 0; i < to.size(); ++i) {
      layout.offset += empty ? 0 : slice.getStarts()[i] * operand.strides[i];
      layout.strides[i] = slice.getStrides()[i] * operand.strides[i];
    }
  } else {
    for (auto [i, d] : llvm::enumerate(cast<BroadcastOp>(op).getDimensions()))
      layout.strides[d] = from[i] == to[d] ? operand.strides[i] : 0;
  }
  return layout;
}

ViewLayout viewLayout(Value value, llvm::function_ref<bool(Operation *)> copies) {
  // The chain from the value outwards, then layouts from the base inwards.
  llvm::SmallVector<Operation *> chain;
  Value base = value;
  while (isViewKind(base.getDefiningOp()) && !(copies && copies(base.getDefiningOp()))) {
    chain.push_back(base.getDefiningOp());
    base = base.getDefiningOp()->getOperand(0);
  }
  ViewLayout layout{base, 0, contiguousStrides(shapeOf(base))};
  for (Operation *op : llvm::reverse(chain))
    if (auto next = applyView(op, layout))
      layout = std::move(*next);
    else
      layout = {op->getResult(0), 0, contiguousStrides(shapeOf(op->getResult(0)))};
  return layout;
}

bool isView(Operation *op) {
  return isViewKind(op) && viewLayout(op->getResult(0)).base != op->getResult(0);
}

} // namespace raf
