#include "compiler/differentiate/rules/Rule.h"

using namespace mlir;

namespace raf {
namespace {

Value slice(Vjp &v, Value x, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> limits) {
  llvm::SmallVector<int64_t> ones(starts.size(), 1);
  return v.make<SliceOp>(x, starts, limits, ones);
}

Value padZeros(Vjp &v, Value x, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high) {
  if (llvm::all_of(low, [](int64_t p) { return p == 0; }) &&
      llvm::all_of(high, [](int64_t p) { return p == 0; }))
    return x;
  return v.make<PadOp>(x, scalarConstant(v.b, v.loc, 0, elementType(x)), low, high);
}

/// Sets x's elements `strides` apart, zeros between: (n) becomes (n, 1), padded to (n, stride), and
/// that row-major again.
Value spread(Vjp &v, Value x, llvm::ArrayRef<int64_t> strides) {
  llvm::SmallVector<int64_t> split, low, high, joined;
  for (auto [n, stride] : llvm::zip(shapeOf(x), strides)) {
    split.append({n, 1});
    low.append({0, 0});
    high.append({0, stride - 1});
    joined.push_back(n * stride);
  }
  return v.reshape(padZeros(v, v.reshape(x, split), low, high), joined);
}

} // namespace

void attachShapeRules(MLIRContext *c) {
  zeroDerivative<ConstantOp, IotaOp>(c);
  rule<ReshapeOp, [](ReshapeOp op, Vjp &v) { v.give(0, v.reshape(v.g(), shapeOf(op.getX()))); }>(c);
  rule<TransposeOp, [](TransposeOp op, Vjp &v) {
    llvm::SmallVector<int64_t> inverse(op.getPermutation().size());
    for (auto [i, p] : llvm::enumerate(op.getPermutation()))
      inverse[p] = static_cast<int64_t>(i);
    v.give(0, v.make<TransposeOp>(v.g(), inverse));
  }>(c);
  rule<BroadcastOp, [](BroadcastOp op, Vjp &v) {
    llvm::SmallVector<int64_t> dims;
    for (int64_t i = 0; i < rankOf(op.getResult()); ++i) {
      const auto *from = llvm::find(op.getDimensions(), i);
      int64_t extent = from == op.getDimensions().end()
                           ? -1
                           : shapeOf(op.getX())[from - op.getDimensions().begin()];
      // An extent of 1 repeats nothing: the reshape drops it.
      if (extent != shapeOf(op.getResult())[i] && shapeOf(op.getResult())[i] != 1)
        dims.push_back(i);
    }
    v.give(0, v.reshape(v.sum(v.g(), dims), shapeOf(op.getX())));
  }>(c);
  rule<SliceOp, [](SliceOp op, Vjp &v) {
    llvm::ArrayRef<int64_t> extents = shapeOf(op.getX());
    Value g = v.g();
    if (llvm::any_of(op.getStrides(), [](int64_t s) { return s != 1; })) {
      g = spread(v, g, op.getStrides());
      // The last element brought stride - 1 zeros with it, which may reach beyond the operand.
      llvm::SmallVector<int64_t> zeros(extents.size(), 0), limits;
      for (auto [n, start, extent] : llvm::zip(shapeOf(g), op.getStarts(), extents))
        limits.push_back(std::min(n, extent - start));
      g = slice(v, g, zeros, limits);
    }
    llvm::SmallVector<int64_t> high;
    for (auto [n, start, extent] : llvm::zip(shapeOf(g), op.getStarts(), extents))
      high.push_back(extent - start - n);
    v.give(0, padZeros(v, g, op.getStarts(), high));
  }>(c);
  rule<ConcatOp, [](ConcatOp op, Vjp &v) {
    llvm::SmallVector<int64_t> starts(rankOf(op.getResult()), 0), limits(shapeOf(op.getResult()));
    int64_t dim = op.getDim();
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      limits[dim] = starts[dim] + shapeOf(input)[dim];
      if (v.needs(i))
        v.give(i, slice(v, v.g(), starts, limits));
      starts[dim] = limits[dim];
    }
  }>(c);
  rule<PadOp, [](PadOp op, Vjp &v) {
    if (v.needs(0)) {
      llvm::SmallVector<int64_t> limits;
      for (auto [low, n] : llvm::zip(op.getLow(), shapeOf(op.getX())))
        limits.push_back(low + n);
      v.give(0, slice(v, v.g(), op.getLow(), limits));
    }
    if (v.needs(1)) {
      Type boolean = v.b.getI1Type();
      auto inner = RankedTensorType::get(shapeOf(op.getX()), boolean);
      Value padding =
          v.make<PadOp>(splat(v.b, v.loc, 0, inner), scalarConstant(v.b, v.loc, 1, boolean),
                        op.getLow(), op.getHigh());
      v.give(1, v.sum(v.select(padding, v.g(), v.zeros(v.g())), allDims(rankOf(v.g()))));
    }
  }>(c);
  rule<ReverseOp, [](ReverseOp op, Vjp &v) { v.give(0, v.make<ReverseOp>(v.g(), op.getDims())); }>(
      c);
}

} // namespace raf
