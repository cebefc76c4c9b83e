#include "compiler/reference/Models.h"

using namespace mlir;

namespace raf::reference {
namespace {

/// Sums that are rounded once, at the end.
class Accumulator {
public:
  explicit Accumulator(const HostTensor &base)
      : floats(base.isFloat() ? base.floats().vec() : std::vector<double>()),
        ints(base.isFloat() ? std::vector<int64_t>() : base.ints().vec()) {}
  void add(int64_t i, const HostTensor &x, int64_t j) {
    if (x.isFloat())
      floats[i] += x.floats()[j];
    else
      ints[i] =
          static_cast<int64_t>(static_cast<uint64_t>(ints[i]) + static_cast<uint64_t>(x.ints()[j]));
  }
  void store(HostTensor &to) const {
    for (int64_t i = 0; i < to.size(); ++i)
      if (to.isFloat())
        to.setFloat(i, floats[i]);
      else
        to.setInt(i, ints[i]);
  }

private:
  std::vector<double> floats;
  std::vector<int64_t> ints;
};

/// Calls `visit(element of the slices, element of x)` for slices of a tensor of `shape` along `dim`
/// at `indices`.
LogicalResult forEachTaken(Operation *op, llvm::ArrayRef<int64_t> shape, const HostTensor &indices,
                           int64_t dim, llvm::function_ref<void(int64_t, int64_t)> visit) {
  for (int64_t index : indices.ints())
    if (failed(checkIndex(op, index, shape[dim])))
      return failure();
  Lines lines(shape, dim);
  for (int64_t o = 0; o < lines.outer; ++o)
    for (int64_t k = 0; k < indices.size(); ++k)
      for (int64_t i = 0; i < lines.inner; ++i)
        visit((o * indices.size() + k) * lines.inner + i, lines.at(o, indices.ints()[k], i));
  return success();
}

LogicalResult take(TakeOp op, Operands operands, Results results) {
  return forEachTaken(op, operands[0].shape(), operands[1], op.getDim(),
                      [&](int64_t to, int64_t from) { results[0].copy(to, operands[0], from); });
}

LogicalResult putAdd(PutAddOp op, Operands operands, Results results) {
  Accumulator sums(operands[0]);
  if (failed(forEachTaken(op, operands[0].shape(), operands[1], op.getDim(),
                          [&](int64_t from, int64_t to) { sums.add(to, operands[2], from); })))
    return failure();
  sums.store(results[0]);
  return success();
}

LogicalResult embedding(EmbeddingOp op, Operands operands, Results results) {
  return forEachTaken(op, operands[0].shape(), operands[1], 0,
                      [&](int64_t to, int64_t from) { results[0].copy(to, operands[0], from); });
}

LogicalResult embeddingGrad(EmbeddingGradOp op, Operands operands, Results results) {
  llvm::ArrayRef<int64_t> shape = results[0].shape();
  Accumulator sums(results[0]);
  std::optional<int64_t> padding = op.getPaddingIdx();
  auto add = [&](int64_t from, int64_t to) {
    if (!padding || to / shape[1] != *padding)
      sums.add(to, operands[0], from);
  };
  if (failed(forEachTaken(op, shape, operands[1], 0, add)))
    return failure();
  sums.store(results[0]);
  return success();
}

/// Calls `visit(element of indices, element of x)` as torch.gather pairs them.
LogicalResult forEachGathered(Operation *op, llvm::ArrayRef<int64_t> shape,
                              const HostTensor &indices, int64_t dim,
                              llvm::function_ref<void(int64_t, int64_t)> visit) {
  for (int64_t index : indices.ints())
    if (failed(checkIndex(op, index, shape[dim])))
      return failure();
  llvm::SmallVector<int64_t> strides = rowMajorStrides(shape);
  int64_t along = strides[dim];
  strides[dim] = 0;
  forEach(indices.shape(), 0, strides, [&](int64_t linear, int64_t offset) {
    visit(linear, offset + indices.ints()[linear] * along);
  });
  return success();
}

LogicalResult gather(GatherOp op, Operands operands, Results results) {
  return forEachGathered(op, operands[0].shape(), operands[1], op.getDim(),
                         [&](int64_t to, int64_t from) { results[0].copy(to, operands[0], from); });
}

LogicalResult scatterAdd(ScatterAddOp op, Operands operands, Results results) {
  Accumulator sums(operands[0]);
  if (failed(forEachGathered(op, operands[0].shape(), operands[1], op.getDim(),
                             [&](int64_t from, int64_t to) { sums.add(to, operands[2], from); })))
    return failure();
  sums.store(results[0]);
  return success();
}

} // namespace

void attachIndexing(MLIRContext &c) {
  attach<TakeOp, take>(c);
  attach<PutAddOp, putAdd>(c);
  attach<EmbeddingOp, embedding>(c);
  attach<EmbeddingGradOp, embeddingGrad>(c);
  attach<GatherOp, gather>(c);
  attach<ScatterAddOp, scatterAdd>(c);
}

} // namespace raf::reference
