#include "compiler/differentiate/rules/Rule.h"

using namespace mlir;

namespace raf {
namespace {

/// The loss's cotangent for each element, in float32 or wider: divided by the count when the loss
/// is a mean.
Value perElement(Vjp &v, Value input, Reduction reduction) {
  Value g = v.wide(v.g());
  if (reduction == Reduction::none)
    return g;
  int64_t n = std::max<int64_t>(tensorType(input).getNumElements(), 1);
  if (reduction == Reduction::mean)
    g = v.mul(g, 1 / static_cast<double>(n));
  return broadcastTo(v.b, v.loc, g, shapeOf(input));
}

/// A loss of the difference d = input - target only: target's gradient is input's, negated.
template <typename Op, auto Slope> void differenceRule(MLIRContext *context) {
  rule<Op, [](Op op, Vjp &v) {
    Value d = v.sub(v.wide(op.getInput()), v.wide(op.getTarget()));
    Value gradient = v.mul(perElement(v, op.getInput(), op.getReduction()), Slope(op, v, d));
    if (v.needs(0))
      v.give(0, gradient);
    if (v.needs(1))
      v.give(1, v.neg(gradient));
  }>(context);
}

/// Two slopes, `ForInput(op, v, x, t)` and `ForTarget(op, v, x, t)`.
template <typename Op, auto ForInput, auto ForTarget> void pairRule(MLIRContext *context) {
  rule<Op, [](Op op, Vjp &v) {
    Value x = v.wide(op.getInput()), t = v.wide(op.getTarget());
    Value g = perElement(v, op.getInput(), op.getReduction());
    if (v.needs(0))
      v.give(0, v.mul(g, ForInput(op, v, x, t)));
    if (v.needs(1))
      v.give(1, v.mul(g, ForTarget(op, v, x, t)));
  }>(context);
}

/// With p = softmax(logits) from logsumexp, w the weight of the label's class, W the sum of
/// weights, s the smoothing:
///   dlogits = G (p ((1 - s) w + s W / C) - (1 - s) w [class = label] - s weight / C),
/// where G is the cotangent of the sample, 0 for ignored ones, divided by the sum of w in a mean.
void crossEntropy(CrossEntropyOp op, Vjp &v) {
  Value logits = v.wide(op.getLogits()), labels = op.getLabels();
  Type element = elementType(logits);
  llvm::ArrayRef<int64_t> shape = shapeOf(logits);
  double smoothing = op.getLabelSmoothing().convertToDouble();
  double spread = smoothing / static_cast<double>(std::max<int64_t>(shape[1], 1));
  auto perSample = [&](Value x) { return v.restore(x, {1}, shape); };

  Value p = v.exp(v.sub(logits, perSample(op.getLogsumexp())));
  Value dlogits;
  if (v.g(0)) {
    Value valid = v.compare(CompareKind::ne, labels,
                            static_cast<double>(static_cast<int64_t>(op.getIgnoreIndex())));
    Value isLabel = v.compare(CompareKind::eq,
                              v.make<IotaOp>(RankedTensorType::get(shape, elementType(labels)), 1),
                              perSample(labels));
    Value zero = v.zeros(logits);
    Value w, classes, total; // (N), (N, C) and (N): 1 without weights
    if (op.getWeight()) {
      classes = broadcastTo(v.b, v.loc, v.wide(op.getWeight()), shape);
      w = v.sum(v.select(isLabel, classes, zero), {1});
      total = broadcastTo(v.b, v.loc, v.sum(v.wide(op.getWeight()), {0}), shapeOf(labels));
    } else {
      w = splat(v.b, v.loc, 1, RankedTensorType::get(shapeOf(labels), element));
      classes = v.fill(1, logits);
      total = v.mul(w, static_cast<double>(shape[1]));
    }
    Value g = v.wide(v.g(0));
    if (op.getReduction() == Reduction::mean)
      g = v.div(
          g, v.sum(op.getWeight() ? v.select(valid, w, v.zeros(w)) : v.cast(valid, element), {0}));
    if (op.getReduction() != Reduction::none)
      g = broadcastTo(v.b, v.loc, g, shapeOf(labels));
    g = v.select(valid, g, v.zeros(g));

    Value onLabel = v.mul(w, 1 - smoothing);
    Value ofSoftmax = smoothing == 0 ? onLabel : v.add(onLabel, v.mul(total, spread));
    Value slope =
        v.sub(v.mul(p, perSample(ofSoftmax)), v.select(isLabel, perSample(onLabel), zero));
    if (smoothing != 0)
      slope = v.sub(slope, v.mul(classes, spread));
    dlogits = v.mul(slope, perSample(g));
  }
  if (v.g(1)) {
    Value term = v.mul(p, perSample(v.g(1)));
    dlogits = dlogits ? v.add(dlogits, term) : term;
  }
  v.give(0, dlogits);
}

} // namespace

void attachLossRules(MLIRContext *c) {
  partialRule<CrossEntropyOp,
              [](CrossEntropyOp op, llvm::ArrayRef<bool> needed, llvm::ArrayRef<bool>) {
                return !(op.getWeight() && needed[2]);
              },
              crossEntropy>(c);
  differenceRule<MseLossOp, [](MseLossOp, Vjp &v, Value d) { return v.mul(d, 2); }>(c);
  differenceRule<L1LossOp, [](L1LossOp, Vjp &v, Value d) { return v.make<SignOp>(d); }>(c);
  differenceRule<HuberLossOp, [](HuberLossOp op, Vjp &v, Value d) {
    double delta = op.getDelta().convertToDouble();
    return v.select(v.compare(CompareKind::le, v.make<AbsOp>(d), delta), d,
                    v.mul(v.make<SignOp>(d), delta));
  }>(c);
  differenceRule<SmoothL1LossOp, [](SmoothL1LossOp op, Vjp &v, Value d) {
    double beta = op.getBeta().convertToDouble();
    Value sign = v.make<SignOp>(d);
    if (beta == 0)
      return sign;
    return v.select(v.compare(CompareKind::lt, v.make<AbsOp>(d), beta), v.mul(d, 1 / beta), sign);
  }>(c);
  // (x - t) / (x (1 - x)), the denominator kept from 0 as PyTorch does.
  pairRule<BceLossOp,
           [](BceLossOp, Vjp &v, Value x, Value t) {
             Value product = v.mul(v.sub(v.fill(1, x), x), x);
             return v.div(v.sub(x, t), v.make<MaximumOp>(product, v.fill(1e-12, x)));
           },
           [](BceLossOp, Vjp &v, Value x, Value) {
             return v.sub(v.make<Log1pOp>(v.neg(x)), v.make<LogOp>(x));
           }>(c);
  pairRule<BceWithLogitsLossOp,
           [](BceWithLogitsLossOp, Vjp &v, Value x, Value t) {
             return v.sub(v.make<SigmoidOp>(x), t);
           },
           [](BceWithLogitsLossOp, Vjp &v, Value x, Value) { return v.neg(x); }>(c);
  pairRule<KlDivLossOp,
           [](KlDivLossOp op, Vjp &v, Value, Value t) {
             return v.neg(op.getLogTarget() ? v.exp(t) : t);
           },
           [](KlDivLossOp op, Vjp &v, Value x, Value t) {
             if (op.getLogTarget())
               return v.mul(v.exp(t), v.add(v.sub(t, x), 1));
             return v.sub(v.add(v.make<LogOp>(t), 1), x);
           }>(c);
}

} // namespace raf
