#include "compiler/differentiate/rules/Rule.h"

using namespace mlir;

namespace raf {
namespace {

int64_t countOf(Value x, llvm::ArrayRef<int64_t> dims) {
  int64_t n = 1;
  for (int64_t d : dims)
    n *= shapeOf(x)[d];
  return n;
}

/// All extrema share the gradient evenly (torch.amax). A row with a NaN gets NaN: no element equals
/// it, so count is 0.
template <typename Op> void extremumRule(MLIRContext *context) {
  rule<Op, [](Op op, Vjp &v) {
    Value x = op.getX();
    Value best = v.restore(op.getResult(), op.getDims(), shapeOf(x));
    Value g = v.wide(v.g());
    Value mask = v.cast(v.compare(CompareKind::eq, x, best), elementType(g));
    Value share = v.div(g, v.sum(mask, op.getDims()));
    v.give(0, v.mul(v.restore(share, op.getDims(), shapeOf(x)), mask));
  }>(context);
}

/// Sort and top-k: each value goes back to where it came from.
template <typename Op> void permutingRule(MLIRContext *context) {
  rule<Op, [](Op op, Vjp &v) {
    if (v.g())
      v.give(0, v.make<ScatterAddOp>(op.getX().getType(), v.zeros(op.getX()), op.getIndices(),
                                     v.g(), op.getDimAttr()));
  }>(context);
}

} // namespace

void attachReduceRules(MLIRContext *c) {
  rule<ReduceSumOp, [](ReduceSumOp op, Vjp &v) {
    v.give(0, v.restore(v.g(), op.getDims(), shapeOf(op.getX())));
  }>(c);
  rule<MeanOp, [](MeanOp op, Vjp &v) {
    double n = static_cast<double>(std::max<int64_t>(countOf(op.getX(), op.getDims()), 1));
    v.give(0, v.restore(v.mul(v.g(), 1 / n), op.getDims(), shapeOf(op.getX())));
  }>(c);
  extremumRule<ReduceMaxOp>(c);
  extremumRule<ReduceMinOp>(c);
  // The product of the others: divided out where x is not 0; where it is, the product of the rest
  // if no other is 0.
  rule<ReduceProdOp, [](ReduceProdOp op, Vjp &v) {
    Value x = v.wide(op.getX()), g = v.wide(v.g());
    llvm::ArrayRef<int64_t> dims = op.getDims(), shape = shapeOf(x);
    Value isZero = v.compare(CompareKind::eq, x, 0.0);
    Value nonZero = v.select(isZero, v.fill(1, x), x);
    Value zero = v.cast(isZero, v.b.getI64Type());
    Value zeros = v.restore(v.sum(zero, dims), dims, shape);
    Value product = v.mul(g, v.make<ReduceProdOp>(nonZero, dims));
    Value others = v.div(v.restore(product, dims, shape), nonZero);
    v.give(0, v.select(v.compare(CompareKind::eq, zeros, zero), others, v.zeros(others)));
  }>(c);
  rule<LogSumExpOp, [](LogSumExpOp op, Vjp &v) {
    Value x = v.wide(op.getX());
    llvm::ArrayRef<int64_t> dims = op.getDims(), shape = shapeOf(x);
    Value weight = v.exp(v.sub(x, v.restore(v.wide(op.getResult()), dims, shape)));
    v.give(0, v.mul(v.restore(v.wide(v.g()), dims, shape), weight));
  }>(c);
  rule<VarOp, [](VarOp op, Vjp &v) {
    Value x = v.wide(op.getX());
    llvm::ArrayRef<int64_t> dims = op.getDims(), shape = shapeOf(x);
    double free = static_cast<double>(countOf(x, dims) - static_cast<int64_t>(op.getCorrection()));
    Value centred = v.sub(x, v.restore(v.make<MeanOp>(x, dims), dims, shape));
    Value g = v.mul(v.wide(v.g()), 2 / std::max(free, 0.0));
    v.give(0, v.mul(v.restore(g, dims, shape), centred));
  }>(c);
  rule<CumSumOp, [](CumSumOp op, Vjp &v) {
    v.give(0, v.make<CumSumOp>(v.g().getType(), v.g(), op.getDimAttr(),
                               op.getReverse() ? UnitAttr() : v.b.getUnitAttr()));
  }>(c);
  permutingRule<SortOp>(c);
  permutingRule<TopKOp>(c);
  zeroDerivative<ReduceAnyOp, ReduceAllOp, ArgMaxOp, ArgMinOp>(c);
}

} // namespace raf
