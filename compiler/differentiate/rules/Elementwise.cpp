#include "compiler/differentiate/rules/Rule.h"

#include <numbers>

using namespace mlir;

namespace raf {
namespace {

/// A unary op whose derivative is a factor: `Factor(v, x, result)` in float32 or wider.
template <typename Op, auto Factor> void factorRule(MLIRContext *context) {
  rule<Op, [](Op op, Vjp &v) {
    v.give(0, v.mul(v.wide(v.g()), Factor(v, v.wide(op.getX()), v.wide(op.getResult()))));
  }>(context);
}

/// d/dx of x Phi(x): Phi(x) + x phi(x).
Value exactGeluFactor(Vjp &v, Value x) {
  Value cdf = v.mul(v.add(v.make<ErfOp>(v.mul(x, std::numbers::sqrt2 / 2)), 1), 0.5);
  Value density =
      v.mul(v.exp(v.mul(v.mul(x, x), -0.5)), std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2);
  return v.add(cdf, v.mul(x, density));
}

/// With u = c (x + a x^3), t = tanh u: 0.5 (1 + t) + 0.5 x (1 - t^2) c (1 + 3 a x^2).
Value tanhGeluFactor(Vjp &v, Value x) {
  constexpr double c = std::numbers::inv_sqrtpi * std::numbers::sqrt2, a = 0.044715;
  Value square = v.mul(x, x);
  Value t = v.make<TanhOp>(v.mul(v.mul(x, v.add(v.mul(square, a), 1)), c));
  Value inner = v.mul(v.add(v.mul(square, 3 * a), 1), c);
  Value slope = v.mul(v.mul(x, inner), v.sub(v.fill(1, t), v.mul(t, t)));
  return v.mul(v.add(v.add(t, 1), slope), 0.5);
}

/// Maximum and minimum: all of the gradient to the winner, half to each of two equal ones.
template <typename Op, CompareKind Loses> void extremumRule(MLIRContext *context) {
  rule<Op, [](Op op, Vjp &v) {
    Value half = v.mul(v.g(), 0.5), zero = v.zeros(v.g());
    Value tie = v.compare(CompareKind::eq, op.getLhs(), op.getRhs());
    Value shared = v.select(tie, half, v.g());
    if (v.needs(0))
      v.give(0, v.select(v.compare(Loses, op.getLhs(), op.getRhs()), zero, shared));
    if (v.needs(1))
      v.give(1, v.select(v.compare(Loses, op.getRhs(), op.getLhs()), zero, shared));
  }>(context);
}

void attachUnary(MLIRContext *c) {
  rule<NegOp, [](NegOp, Vjp &v) { v.give(0, v.neg(v.g())); }>(c);
  rule<AbsOp, [](AbsOp op, Vjp &v) { v.give(0, v.mul(v.g(), v.make<SignOp>(op.getX()))); }>(c);
  rule<ExpOp, [](ExpOp op, Vjp &v) { v.give(0, v.mul(v.g(), op.getResult())); }>(c);
  rule<LogOp, [](LogOp op, Vjp &v) { v.give(0, v.div(v.g(), op.getX())); }>(c);
  rule<Log1pOp,
       [](Log1pOp op, Vjp &v) { v.give(0, v.div(v.wide(v.g()), v.add(v.wide(op.getX()), 1))); }>(c);
  rule<SqrtOp, [](SqrtOp op, Vjp &v) {
    v.give(0, v.div(v.wide(v.g()), v.mul(v.wide(op.getResult()), 2)));
  }>(c);
  // At 0 the gradient is 0, and it passes where x is NaN.
  rule<ReluOp, [](ReluOp op, Vjp &v) {
    v.give(0, v.select(v.compare(CompareKind::le, op.getResult(), 0.0), v.zeros(v.g()), v.g()));
  }>(c);
  factorRule<Expm1Op, [](Vjp &v, Value, Value r) { return v.add(r, 1); }>(c);
  factorRule<RsqrtOp, [](Vjp &v, Value, Value r) { return v.mul(v.mul(r, v.mul(r, r)), -0.5); }>(c);
  factorRule<ReciprocalOp, [](Vjp &v, Value, Value r) { return v.neg(v.mul(r, r)); }>(c);
  factorRule<SinOp, [](Vjp &v, Value x, Value) { return v.make<CosOp>(x); }>(c);
  factorRule<CosOp, [](Vjp &v, Value x, Value) { return v.neg(v.make<SinOp>(x)); }>(c);
  factorRule<TanOp, [](Vjp &v, Value, Value r) { return v.add(v.mul(r, r), 1); }>(c);
  factorRule<TanhOp, [](Vjp &v, Value, Value r) { return v.sub(v.fill(1, r), v.mul(r, r)); }>(c);
  factorRule<ErfOp, [](Vjp &v, Value x, Value) {
    return v.mul(v.exp(v.neg(v.mul(x, x))), 2 * std::numbers::inv_sqrtpi);
  }>(c);
  factorRule<SigmoidOp, [](Vjp &v, Value, Value r) { return v.mul(r, v.sub(v.fill(1, r), r)); }>(c);
  factorRule<SiluOp, [](Vjp &v, Value x, Value) {
    Value s = v.make<SigmoidOp>(x);
    return v.mul(s, v.add(v.mul(x, v.sub(v.fill(1, s), s)), 1));
  }>(c);
  factorRule<SoftplusOp, [](Vjp &v, Value x, Value) { return v.make<SigmoidOp>(x); }>(c);
  rule<GeluOp, [](GeluOp op, Vjp &v) {
    Value x = v.wide(op.getX());
    v.give(0, v.mul(v.wide(v.g()), op.getTanh() ? tanhGeluFactor(v, x) : exactGeluFactor(v, x)));
  }>(c);
  zeroDerivative<SignOp, FloorOp, CeilOp, RoundOp, TruncOp, NotOp>(c);
}

void attachBinary(MLIRContext *c) {
  rule<AddOp, [](AddOp, Vjp &v) {
    for (unsigned i : {0, 1})
      if (v.needs(i))
        v.give(i, v.g());
  }>(c);
  rule<SubOp, [](SubOp, Vjp &v) {
    if (v.needs(0))
      v.give(0, v.g());
    if (v.needs(1))
      v.give(1, v.neg(v.g()));
  }>(c);
  rule<MulOp, [](MulOp op, Vjp &v) {
    if (v.needs(0))
      v.give(0, v.mul(v.g(), op.getRhs()));
    if (v.needs(1))
      v.give(1, v.mul(v.g(), op.getLhs()));
  }>(c);
  rule<DivOp, [](DivOp op, Vjp &v) {
    Value g = v.wide(v.g()), rhs = v.wide(op.getRhs());
    Value quotient = v.div(g, rhs);
    if (v.needs(0))
      v.give(0, quotient);
    if (v.needs(1))
      v.give(1, v.neg(v.mul(quotient, v.wide(op.getResult()))));
  }>(c);
  rule<PowOp, [](PowOp op, Vjp &v) {
    Value g = v.wide(v.g()), x = v.wide(op.getLhs()), y = v.wide(op.getRhs());
    Value zero = v.zeros(g);
    // x^0 is constant, also at x = 0 where 0 * 0^-1 would be NaN.
    if (v.needs(0))
      v.give(0, v.select(v.compare(CompareKind::eq, y, 0.0), zero,
                         v.mul(g, v.mul(y, v.make<PowOp>(x, v.add(y, -1))))));
    // 0^y is constant for y >= 0, where log 0 would make it NaN.
    if (v.needs(1)) {
      Value flat =
          v.make<AndOp>(v.compare(CompareKind::eq, x, 0.0), v.compare(CompareKind::ge, y, 0.0));
      v.give(1, v.select(flat, zero, v.mul(g, v.mul(v.wide(op.getResult()), v.make<LogOp>(x)))));
    }
  }>(c);
  extremumRule<MaximumOp, CompareKind::lt>(c);
  extremumRule<MinimumOp, CompareKind::gt>(c);
  rule<RemainderOp, [](RemainderOp op, Vjp &v) {
    if (v.needs(0))
      v.give(0, v.g());
    if (v.needs(1))
      v.give(1, v.neg(v.mul(v.wide(v.g()),
                            v.make<FloorOp>(v.div(v.wide(op.getLhs()), v.wide(op.getRhs()))))));
  }>(c);
  rule<Atan2Op, [](Atan2Op op, Vjp &v) {
    Value g = v.wide(v.g()), y = v.wide(op.getLhs()), x = v.wide(op.getRhs());
    Value square = v.add(v.mul(y, y), v.mul(x, x));
    // The origin has no angle: its gradient is 0.
    Value scaled = v.select(v.compare(CompareKind::eq, square, 0.0), v.zeros(g), v.div(g, square));
    if (v.needs(0))
      v.give(0, v.mul(scaled, x));
    if (v.needs(1))
      v.give(1, v.neg(v.mul(scaled, y)));
  }>(c);
  zeroDerivative<AndOp, OrOp, XorOp, CompareOp, IsNanOp, IsFiniteOp>(c);
}

} // namespace

void attachElementwiseRules(MLIRContext *c) {
  attachUnary(c);
  attachBinary(c);
  rule<SelectOp, [](SelectOp op, Vjp &v) {
    Value zero = v.zeros(v.g());
    if (v.needs(1))
      v.give(1, v.select(op.getCondition(), v.g(), zero));
    if (v.needs(2))
      v.give(2, v.select(op.getCondition(), zero, v.g()));
  }>(c);
  rule<CastOp, [](CastOp, Vjp &v) { v.give(0, v.g()); }>(c);
}

} // namespace raf
