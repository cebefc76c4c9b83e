#include "compiler/decompose/Term.h"

namespace raf::decompose {
namespace {

Term reduce(const Term &loss, Reduction reduction) {
  if (reduction == Reduction::none)
    return loss;
  Term total = loss.sum();
  return reduction == Reduction::sum ? total
                                     : total / static_cast<double>(loss.type().getNumElements());
}

// logits (N, C), labels (N). The label's column is found by comparing with the position, so that a
// fused row kernel needs no gather and logits are read in order only.
Terms crossEntropy(CrossEntropyOp op, const Term &operand) {
  Term x = operand.wide();
  llvm::ArrayRef<int64_t> shape = x.shape();
  int64_t classes = shape[1];
  Term labels = x.with(op.getLabels());
  Term valid = labels.compare(
      CompareKind::ne,
      x.number(static_cast<double>(static_cast<int64_t>(op.getIgnoreIndex())), labels.element()));
  // Positions fit 32 bits, which halves the width of the comparison.
  mlir::Type i32 = mlir::IntegerType::get(op.getContext(), 32);
  Term hit = x.iota(1, i32).compare(CompareKind::eq, labels.cast(i32).over({1}, shape));

  auto [top, exponentials, sum] = shiftedExponentials(x, {1});
  Term logSum = log(sum);
  // -log softmax at the label, with the row's maximum subtracted before anything is added to it.
  Term loss = logSum - (hit.select(x, 0.0).sum({1}) - top);
  Term sampleWeight = valid.select(logSum.like(1), 0.0);
  if (op.getWeight()) {
    Term weight = x.with(op.getWeight()).wide().to(shape);
    Term labelWeight = hit.select(weight, 0.0).sum({1});
    sampleWeight = valid.select(labelWeight, 0.0);
    loss = loss * labelWeight;
  }
  if (double smoothing = op.getLabelSmoothing().convertToDouble(); smoothing > 0) {
    Term each = logSum.over({1}, shape) - (x - top.over({1}, shape));
    if (op.getWeight())
      each = each * x.with(op.getWeight()).wide().to(shape);
    loss = loss * (1 - smoothing) + each.sum({1}) * (smoothing / static_cast<double>(classes));
  }
  loss = valid.select(loss, 0.0);
  if (op.getReduction() != Reduction::none)
    loss = op.getReduction() == Reduction::sum ? loss.sum() : loss.sum() / sampleWeight.sum();
  return {loss, top + logSum};
}

template <typename Op, Term (*formula)(Op, const Term &, const Term &)>
Terms pairLoss(Op op, const Term &input) {
  return {reduce(formula(op, input.wide(), input.with(op.getTarget()).wide()), op.getReduction())};
}

Term mse(MseLossOp, const Term &x, const Term &t) {
  Term d = x - t;
  return d * d;
}

Term l1(L1LossOp, const Term &x, const Term &t) { return abs(x - t); }

Term huber(HuberLossOp op, const Term &x, const Term &t) {
  double delta = op.getDelta().convertToDouble();
  Term d = abs(x - t);
  return d.compare(CompareKind::le, delta).select(d * d * 0.5, (d - 0.5 * delta) * delta);
}

Term smoothL1(SmoothL1LossOp op, const Term &x, const Term &t) {
  double beta = op.getBeta().convertToDouble();
  Term d = abs(x - t);
  if (beta == 0)
    return d;
  return d.compare(CompareKind::lt, beta).select(d * d * (0.5 / beta), d - 0.5 * beta);
}

Term bce(BceLossOp, const Term &x, const Term &t) {
  return (t - 1.0) * maximum(log1p(-x), -100) - t * maximum(log(x), -100);
}

// (1 - t) x + softplus(-x)
Term bceWithLogits(BceWithLogitsLossOp, const Term &x, const Term &t) {
  return (1.0 - t) * x + (maximum(-x, 0) + log1p(exp(-abs(x))));
}

Term klDiv(KlDivLossOp op, const Term &x, const Term &t) {
  if (op.getLogTarget())
    return exp(t) * (t - x);
  return t.compare(CompareKind::eq, 0).select(0, t * log(t)) - t * x;
}

} // namespace

void attachLoss(mlir::MLIRContext &context) {
  attach<CrossEntropyOp, crossEntropy>(context);
  attach<MseLossOp, pairLoss<MseLossOp, mse>>(context);
  attach<L1LossOp, pairLoss<L1LossOp, l1>>(context);
  attach<HuberLossOp, pairLoss<HuberLossOp, huber>>(context);
  attach<SmoothL1LossOp, pairLoss<SmoothL1LossOp, smoothL1>>(context);
  attach<BceLossOp, pairLoss<BceLossOp, bce>>(context);
  attach<BceWithLogitsLossOp, pairLoss<BceWithLogitsLossOp, bceWithLogits>>(context);
  attach<KlDivLossOp, pairLoss<KlDivLossOp, klDiv>>(context);
}

} // namespace raf::decompose
