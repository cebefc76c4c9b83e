#include "compiler/differentiate/rules/Rule.h"

using namespace mlir;

namespace raf {
namespace {

/// What layer and RMS normalization share. With h = (x - mean) rstd (mean 0 in RMS), G = g weight,
/// over N elements of a row:
///   dx = rstd (G - [mean G] - h mean(G h)),  dweight = sum over rows of g h,  dbias = sum over
///   rows of g
/// and the cotangents of the statistics, which second derivatives have: dmean / N, and -drstd
/// rstd^2 h / N.
void normalization(Vjp &v, Value x, Value weight, Value mean, Value rstd, int64_t axes,
                   int biasOperand) {
  Value meanCotangent = mean ? v.g(1) : Value(), rstdCotangent = v.g(mean ? 2 : 1);
  llvm::ArrayRef<int64_t> shape = shapeOf(x);
  int64_t rows = rankOf(x) - axes;
  llvm::SmallVector<int64_t> inner = allDims(rankOf(x), rows), outer = allDims(rows);
  int64_t count = 1;
  for (int64_t d : inner)
    count *= shape[d];
  double perElement = 1 / static_cast<double>(std::max<int64_t>(count, 1));
  auto acrossRow = [&](Value statistic) { return v.restore(statistic, inner, shape); };

  Value centred = v.wide(x);
  if (mean)
    centred = v.sub(centred, acrossRow(mean));
  Value h = v.mul(centred, acrossRow(rstd));
  Value g = v.g(0) ? v.wide(v.g(0)) : Value();

  if (v.needs(0)) {
    Value dx, alongH, constant;
    if (g) {
      Value scaled = weight ? v.mul(g, broadcastTo(v.b, v.loc, v.wide(weight), shape)) : g;
      alongH = v.mul(v.mul(v.sum(v.mul(scaled, h), inner), perElement), rstd);
      if (mean)
        constant = v.mul(v.mul(v.sum(scaled, inner), perElement), rstd);
      dx = v.mul(scaled, acrossRow(rstd));
    }
    if (rstdCotangent) {
      Value term = v.mul(v.mul(rstdCotangent, v.mul(rstd, rstd)), perElement);
      alongH = alongH ? v.add(alongH, term) : term;
    }
    if (meanCotangent) {
      Value term = v.neg(v.mul(meanCotangent, perElement));
      constant = constant ? v.add(constant, term) : term;
    }
    auto subtract = [&](Value term) { dx = dx ? v.sub(dx, term) : v.neg(term); };
    if (constant)
      subtract(acrossRow(constant));
    if (alongH)
      subtract(v.mul(h, acrossRow(alongH)));
    v.give(0, dx);
  }
  if (weight && g && v.needs(1))
    v.give(1, v.sum(v.mul(g, h), outer));
  if (biasOperand >= 0 && g && v.needs(biasOperand))
    v.give(biasOperand, v.sum(g, outer));
}

} // namespace

void attachNormalizationRules(MLIRContext *c) {
  // y (g - sum(g y))
  rule<SoftmaxOp, [](SoftmaxOp op, Vjp &v) {
    Value g = v.wide(v.g()), y = v.wide(op.getResult());
    llvm::SmallVector<int64_t> dims{static_cast<int64_t>(op.getDim())};
    Value dot = v.restore(v.sum(v.mul(g, y), dims), dims, shapeOf(y));
    v.give(0, v.mul(y, v.sub(g, dot)));
  }>(c);
  // g - e^y sum(g)
  rule<LogSoftmaxOp, [](LogSoftmaxOp op, Vjp &v) {
    Value g = v.wide(v.g()), y = v.wide(op.getResult());
    llvm::SmallVector<int64_t> dims{static_cast<int64_t>(op.getDim())};
    Value total = v.restore(v.sum(g, dims), dims, shapeOf(y));
    v.give(0, v.sub(g, v.mul(v.exp(y), total)));
  }>(c);
  rule<LayerNormOp, [](LayerNormOp op, Vjp &v) {
    int bias = op.getBias() ? (op.getWeight() ? 2 : 1) : -1;
    normalization(v, op.getX(), op.getWeight(), op.getMean(), op.getRstd(), op.getAxes(), bias);
  }>(c);
  rule<RmsNormOp, [](RmsNormOp op, Vjp &v) {
    normalization(v, op.getX(), op.getWeight(), Value(), op.getRstd(), op.getAxes(), -1);
  }>(c);
}

} // namespace raf
