#include "compiler/decompose/Term.h"

#include <numbers>

namespace raf::decompose {
namespace {

Terms silu(SiluOp, const Term &operand) {
  Term x = operand.wide();
  return {x * x.map<SigmoidOp>()};
}

Terms softplus(SoftplusOp, const Term &operand) {
  Term x = operand.wide();
  return {maximum(x, 0) + log1p(exp(-abs(x)))};
}

Terms gelu(GeluOp op, const Term &operand) {
  Term x = operand.wide();
  if (!op.getTanh())
    return {x * 0.5 * ((x * (1 / std::numbers::sqrt2)).map<ErfOp>() + 1.0)};
  constexpr double slope = std::numbers::sqrt2 * std::numbers::inv_sqrtpi; // sqrt(2 / pi)
  Term inner = (x + x * x * x * 0.044715) * slope;
  return {x * 0.5 * (inner.map<TanhOp>() + 1.0)};
}

} // namespace

void attachElementwise(mlir::MLIRContext &context) {
  attach<SiluOp, silu>(context);
  attach<SoftplusOp, softplus>(context);
  attach<GeluOp, gelu>(context);
}

} // namespace raf::decompose
