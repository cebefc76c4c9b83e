// Updates in the order of torch.optim's single-tensor formulas. What depends on scalars only is
// computed in float64, as Python does, and rounded once.
#include "compiler/decompose/Term.h"

namespace raf::decompose {
namespace {

/// Operands that every update has, in the type it computes in.
struct Update {
  Term param, grad, lr, step; // lr and step: float64, rank 0
  mlir::Type element;

  template <typename Op>
  Update(Op op, const Term &first)
      : param(first.wide()), grad(first.with(op.getGrad()).wide()),
        lr(first.with(op.getLr()).cast(mlir::Float64Type::get(op.getContext()))),
        step(first.with(op.getStep()).cast(mlir::Float64Type::get(op.getContext()))),
        element(param.element()) {
    grad = grad * first.with(op.getScale()).cast(element);
  }

  Term slot(mlir::Value v) const { return param.with(v).wide(); }
  /// A float64 scalar in the type of the update.
  Term narrow(const Term &scalar) const { return scalar.cast(element); }
  /// 1 - beta^step
  Term biasCorrection(double beta) const {
    return 1.0 - step.number(beta, step.element()).map<PowOp>(step);
  }
  void maximize(bool on) {
    if (on)
      grad = -grad;
  }
  void addDecay(double weightDecay) {
    if (weightDecay != 0)
      grad = grad + param * weightDecay;
  }
  void decoupledDecay(double weightDecay) {
    if (weightDecay != 0)
      param = param * narrow(1.0 - lr * weightDecay);
  }
};

/// From x towards y, as torch.lerp.
Term lerp(const Term &x, const Term &y, double weight) {
  return weight < 0.5 ? x + (y - x) * weight : y - (y - x) * (1 - weight);
}

Term decayingSquare(const Term &average, const Term &grad, double beta) {
  return average * beta + grad * (1 - beta) * grad;
}

Terms sgd(SgdOp op, const Term &first) {
  Update u(op, first);
  u.maximize(op.getMaximize());
  u.addDecay(op.getWeightDecay().convertToDouble());
  return {u.param - u.grad * u.narrow(u.lr)};
}

Terms sgdMomentum(SgdMomentumOp op, const Term &first) {
  Update u(op, first);
  u.maximize(op.getMaximize());
  u.addDecay(op.getWeightDecay().convertToDouble());
  double momentum = op.getMomentum().convertToDouble();
  double dampening = op.getDampening().convertToDouble();
  Term buffer = u.slot(op.getMomentumBuffer()) * momentum;
  // The first gradient enters undamped.
  if (dampening == 0)
    buffer = buffer + u.grad;
  else
    buffer = u.step.compare(CompareKind::eq, 1).select(u.grad, buffer + u.grad * (1 - dampening));
  Term direction = op.getNesterov() ? u.grad + buffer * momentum : buffer;
  return {u.param - direction * u.narrow(u.lr), buffer};
}

Terms adam(AdamOp op, const Term &first) {
  Update u(op, first);
  double beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
  u.maximize(op.getMaximize());
  if (op.getDecoupled())
    u.decoupledDecay(op.getWeightDecay().convertToDouble());
  else
    u.addDecay(op.getWeightDecay().convertToDouble());
  Term m = lerp(u.slot(op.getExpAvg()), u.grad, 1 - beta1);
  Term v = decayingSquare(u.slot(op.getExpAvgSq()), u.grad, beta2);
  Term stepSize = u.narrow(u.lr / u.biasCorrection(beta1));
  Term root = sqrt(v) / u.narrow(sqrt(u.biasCorrection(beta2)));
  return {u.param - m * stepSize / (root + op.getEps().convertToDouble()), m, v};
}

Term norm(const Term &x) { return sqrt((x * x).sum()); }

/// a / b, or 1 where one of them is 0.
Term ratioOrOne(const Term &a, const Term &b) {
  Term both = (a * b).compare(CompareKind::gt, 0);
  return both.select(a / b, 1.0);
}

/// Bias-corrected sqrt(v) + eps.
Term denominator(const Update &u, const Term &v, double beta2, double eps) {
  return sqrt(v) / u.narrow(sqrt(u.biasCorrection(beta2))) + eps;
}

// You et al., "Large batch optimization for deep learning", with bias correction and the identity
// as phi.
Terms lamb(LambOp op, const Term &first) {
  Update u(op, first);
  double beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
  double weightDecay = op.getWeightDecay().convertToDouble();
  Term m = lerp(u.slot(op.getExpAvg()), u.grad, 1 - beta1);
  Term v = decayingSquare(u.slot(op.getExpAvgSq()), u.grad, beta2);
  Term direction = m / u.narrow(u.biasCorrection(beta1)) /
                   denominator(u, v, beta2, op.getEps().convertToDouble());
  if (weightDecay != 0)
    direction = direction + u.param * weightDecay;
  Term trust = ratioOrOne(norm(u.param), norm(direction));
  return {u.param - direction * (u.narrow(u.lr) * trust), m, v};
}

// Zheng et al., "Accelerated large batch optimization of BERT pretraining in 54 minutes".
Terms lans(LansOp op, const Term &first) {
  Update u(op, first);
  double beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
  double weightDecay = op.getWeightDecay().convertToDouble();
  Term size = norm(u.grad);
  Term grad = u.grad / size.compare(CompareKind::gt, 0).select(size, 1.0);
  Term m = lerp(u.slot(op.getExpAvg()), grad, 1 - beta1);
  Term v = decayingSquare(u.slot(op.getExpAvgSq()), grad, beta2);
  Term root = denominator(u, v, beta2, op.getEps().convertToDouble());
  Term slow = m / u.narrow(u.biasCorrection(beta1)) / root, fast = grad / root;
  if (weightDecay != 0) {
    slow = slow + u.param * weightDecay;
    fast = fast + u.param * weightDecay;
  }
  Term length = norm(u.param);
  Term direction = slow * (ratioOrOne(length, norm(slow)) * beta1) +
                   fast * (ratioOrOne(length, norm(fast)) * (1 - beta1));
  return {u.param - direction * u.narrow(u.lr), m, v};
}

Terms adagrad(AdagradOp op, const Term &first) {
  Update u(op, first);
  u.addDecay(op.getWeightDecay().convertToDouble());
  Term rate = u.lr / ((u.step - 1.0) * op.getLrDecay().convertToDouble() + 1.0);
  Term sum = u.slot(op.getSum()) + u.grad * u.grad;
  Term root = sqrt(sum) + op.getEps().convertToDouble();
  return {u.param - u.grad * u.narrow(rate) / root, sum};
}

Terms rmsprop(RmspropOp op, const Term &first) {
  Update u(op, first);
  u.addDecay(op.getWeightDecay().convertToDouble());
  double momentum = op.getMomentum().convertToDouble();
  Term average = decayingSquare(u.slot(op.getSquareAvg()), u.grad, op.getAlpha().convertToDouble());
  Term root = sqrt(average) + op.getEps().convertToDouble();
  Term buffer = first.with(op.getMomentumBuffer());
  if (momentum == 0)
    return {u.param - u.grad * u.narrow(u.lr) / root, average, buffer};
  buffer = buffer.wide() * momentum + u.grad / root;
  return {u.param - buffer * u.narrow(u.lr), average, buffer};
}

// Chen et al., "Symbolic discovery of optimization algorithms".
Terms lion(LionOp op, const Term &first) {
  Update u(op, first);
  double beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
  u.decoupledDecay(op.getWeightDecay().convertToDouble());
  Term m = u.slot(op.getExpAvg());
  Term direction = sign(m * beta1 + u.grad * (1 - beta1));
  return {u.param - direction * u.narrow(u.lr), m * beta2 + u.grad * (1 - beta2)};
}

} // namespace

void attachOptimizer(mlir::MLIRContext &context) {
  attach<SgdOp, sgd>(context);
  attach<SgdMomentumOp, sgdMomentum>(context);
  attach<AdamOp, adam>(context);
  attach<LambOp, lamb>(context);
  attach<LansOp, lans>(context);
  attach<AdagradOp, adagrad>(context);
  attach<RmspropOp, rmsprop>(context);
  attach<LionOp, lion>(context);
}

} // namespace raf::decompose
