#include "compiler/reference/Models.h"

using namespace mlir;

namespace raf::reference {
namespace {

LogicalResult constant(ConstantOp op, Operands, Results results) {
  auto value = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!value)
    return op.emitOpError("expected a dense value to evaluate, but got ") << op.getValue();
  HostTensor &to = results[0];
  if (to.isFloat()) {
    for (auto [i, element] : llvm::enumerate(value.getValues<llvm::APFloat>())) {
      bool lossy;
      element.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
      to.setFloat(static_cast<int64_t>(i), element.convertToDouble());
    }
    return success();
  }
  for (auto [i, element] : llvm::enumerate(value.getValues<llvm::APInt>()))
    to.setInt(static_cast<int64_t>(i), static_cast<int64_t>(element.getSExtValue()));
  return success();
}

LogicalResult iota(IotaOp op, Operands, Results results) {
  HostTensor &to = results[0];
  llvm::SmallVector<int64_t> strides(to.rank(), 0);
  strides[op.getDim()] = 1;
  forEach(to.shape(), 0, strides, [&](int64_t linear, int64_t position) {
    if (to.isFloat())
      to.setFloat(linear, static_cast<double>(position));
    else
      to.setInt(linear, position);
  });
  return success();
}

LogicalResult reshape(ReshapeOp, Operands operands, Results results) {
  results[0] = operands[0].reshaped(results[0].shape());
  return success();
}

/// result[index] = x[start + sum(index * strides)]
void readStrided(const HostTensor &x, int64_t start, llvm::ArrayRef<int64_t> strides,
                 HostTensor &result) {
  forEach(result.shape(), start, strides,
          [&](int64_t linear, int64_t offset) { result.copy(linear, x, offset); });
}

/// result[start + sum(index * strides)] = x[index]
void writeStrided(const HostTensor &x, int64_t start, llvm::ArrayRef<int64_t> strides,
                  HostTensor &result) {
  forEach(x.shape(), start, strides,
          [&](int64_t linear, int64_t offset) { result.copy(offset, x, linear); });
}

LogicalResult transpose(TransposeOp op, Operands operands, Results results) {
  llvm::SmallVector<int64_t> from = rowMajorStrides(operands[0].shape()), strides;
  for (int64_t dim : op.getPermutation())
    strides.push_back(from[dim]);
  readStrided(operands[0], 0, strides, results[0]);
  return success();
}

LogicalResult broadcast(BroadcastOp op, Operands operands, Results results) {
  const HostTensor &x = operands[0];
  llvm::SmallVector<int64_t> from = rowMajorStrides(x.shape());
  llvm::SmallVector<int64_t> strides(results[0].rank(), 0);
  for (auto [i, dim] : llvm::enumerate(op.getDimensions()))
    strides[dim] = x.shape()[i] == 1 ? 0 : from[i];
  readStrided(x, 0, strides, results[0]);
  return success();
}

LogicalResult slice(SliceOp op, Operands operands, Results results) {
  llvm::SmallVector<int64_t> strides = rowMajorStrides(operands[0].shape());
  int64_t start = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    start += op.getStarts()[i] * strides[i];
    strides[i] *= op.getStrides()[i];
  }
  readStrided(operands[0], start, strides, results[0]);
  return success();
}

LogicalResult reverse(ReverseOp op, Operands operands, Results results) {
  llvm::SmallVector<int64_t> strides = rowMajorStrides(operands[0].shape());
  int64_t start = 0;
  for (int64_t dim : op.getDims()) {
    start += (operands[0].shape()[dim] - 1) * strides[dim];
    strides[dim] = -strides[dim];
  }
  readStrided(operands[0], start, strides, results[0]);
  return success();
}

LogicalResult concat(ConcatOp op, Operands operands, Results results) {
  llvm::SmallVector<int64_t> strides = rowMajorStrides(results[0].shape());
  int64_t position = 0;
  for (const HostTensor &x : operands) {
    writeStrided(x, position * strides[op.getDim()], strides, results[0]);
    position += x.shape()[op.getDim()];
  }
  return success();
}

LogicalResult pad(PadOp op, Operands operands, Results results) {
  HostTensor &to = results[0];
  for (int64_t i = 0; i < to.size(); ++i)
    to.copy(i, operands[1], 0);
  llvm::SmallVector<int64_t> strides = rowMajorStrides(to.shape());
  int64_t start = 0;
  for (auto [low, stride] : llvm::zip_equal(op.getLow(), strides))
    start += low * stride;
  writeStrided(operands[0], start, strides, to);
  return success();
}

} // namespace

void attachShape(MLIRContext &c) {
  attach<ConstantOp, constant>(c);
  attach<IotaOp, iota>(c);
  attach<ReshapeOp, reshape>(c);
  attach<TransposeOp, transpose>(c);
  attach<BroadcastOp, broadcast>(c);
  attach<SliceOp, slice>(c);
  attach<ReverseOp, reverse>(c);
  attach<ConcatOp, concat>(c);
  attach<PadOp, pad>(c);
}

} // namespace raf::reference
