#include "compiler/ir/Raf.h"
#include "compiler/optimize/simplify/Simplify.h"

using namespace mlir;

namespace raf {
namespace {

/// A pattern from a function that gives the replacement of an op, or null where it does not apply.
template <typename Op, auto Replacement> struct Rule : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Value v = Replacement(op, rewriter);
    if (!v)
      return rewriter.notifyMatchFailure(op, "expected operands this rule applies to");
    rewriter.replaceOp(op, v);
    return success();
  }
};

Value negated(Value v) {
  auto neg = v.getDefiningOp<NegOp>();
  return neg ? neg.getX() : Value();
}

/// Whether every value of `from` is a value of `to`.
bool isLossless(Type from, Type to) {
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat)
    return toFloat && fromFloat.getFPMantissaWidth() <= toFloat.getFPMantissaWidth() &&
           llvm::APFloat::semanticsMaxExponent(fromFloat.getFloatSemantics()) <=
               llvm::APFloat::semanticsMaxExponent(toFloat.getFloatSemantics()) &&
           llvm::APFloat::semanticsMinExponent(fromFloat.getFloatSemantics()) >=
               llvm::APFloat::semanticsMinExponent(toFloat.getFloatSemantics());
  bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  unsigned bits = from.getIntOrFloatBitWidth() - (fromUnsigned ? 0 : 1); // of the magnitude
  if (toFloat)
    return bits <= toFloat.getFPMantissaWidth();
  bool toUnsigned = to.isUnsignedInteger() || to.isInteger(1);
  return (fromUnsigned || !toUnsigned) && bits <= to.getIntOrFloatBitWidth() - (toUnsigned ? 0 : 1);
}

/// Whether 1 / v is a number of the type, exactly: v is a power of two and neither end leaves the
/// normal range.
bool hasExactReciprocal(double v, FloatType type) {
  int exponent;
  if (!std::isfinite(v) || std::abs(std::frexp(v, &exponent)) != 0.5)
    return false;
  int power = 1 - exponent; // of the reciprocal
  return power >= llvm::APFloat::semanticsMinExponent(type.getFloatSemantics()) &&
         power <= llvm::APFloat::semanticsMaxExponent(type.getFloatSemantics());
}

std::optional<bool> compareSplats(CompareKind kind, double l, double r) {
  switch (kind) {
  case CompareKind::eq:
    return l == r;
  case CompareKind::ne:
    return l != r;
  case CompareKind::lt:
    return l < r;
  case CompareKind::le:
    return l <= r;
  case CompareKind::gt:
    return l > r;
  case CompareKind::ge:
    return l >= r;
  }
  return std::nullopt;
}

} // namespace

void addAlgebraPatterns(RewritePatternSet &patterns) {
  MLIRContext *c = patterns.getContext();
  // -(-x) = x
  patterns.add<Rule<NegOp, [](NegOp op, PatternRewriter &) { return negated(op.getX()); }>>(c);
  // x + (-0.0) = x, x + 0 = x for integers; x + 0.0 would turn -0.0 into 0.0. x + (-y) = x - y.
  patterns.add<Rule<AddOp, [](AddOp op, PatternRewriter &b) -> Value {
    bool isFloat = isa<FloatType>(elementType(op.getLhs()));
    for (auto [x, other] : {std::pair(op.getLhs(), op.getRhs()), {op.getRhs(), op.getLhs()}}) {
      if (auto v = splatValue(other); v && *v == 0 && (!isFloat || std::signbit(*v)))
        return x;
      if (Value y = negated(other))
        return b.create<SubOp>(op.getLoc(), x, y);
    }
    return {};
  }>>(c);
  // x - (-y) = x + y
  patterns.add<Rule<SubOp, [](SubOp op, PatternRewriter &b) -> Value {
    if (Value y = negated(op.getRhs()))
      return b.create<AddOp>(op.getLoc(), op.getLhs(), y);
    return {};
  }>>(c);
  // (-x) (-y) = x y, x * -1 = -x
  patterns.add<Rule<MulOp, [](MulOp op, PatternRewriter &b) -> Value {
    if (Value x = negated(op.getLhs()), y = negated(op.getRhs()); x && y)
      return b.create<MulOp>(op.getLoc(), x, y);
    for (auto [x, other] : {std::pair(op.getLhs(), op.getRhs()), {op.getRhs(), op.getLhs()}})
      if (splatValue(other) == -1.0 && isa<FloatType>(elementType(x)))
        return b.create<NegOp>(op.getLoc(), x);
    return {};
  }>>(c);
  // x / 2^n = x * 2^-n
  patterns.add<Rule<DivOp, [](DivOp op, PatternRewriter &b) -> Value {
    auto type = dyn_cast<FloatType>(elementType(op.getLhs()));
    auto v = splatValue(op.getRhs());
    if (!type || !v || !hasExactReciprocal(*v, type))
      return {};
    return b.create<MulOp>(op.getLoc(), op.getLhs(),
                           splat(b, op.getLoc(), 1 / *v, tensorType(op.getLhs())));
  }>>(c);
  // A cast after a cast that loses nothing.
  patterns.add<Rule<CastOp, [](CastOp op, PatternRewriter &b) -> Value {
    auto inner = op.getX().getDefiningOp<CastOp>();
    if (!inner || !isLossless(elementType(inner.getX()), elementType(inner.getResult())))
      return {};
    return castTo(b, op.getLoc(), inner.getX(), elementType(op.getResult()));
  }>>(c);
  patterns.add<Rule<NotOp, [](NotOp op, PatternRewriter &) -> Value {
    auto inner = op.getX().getDefiningOp<NotOp>();
    return inner ? inner.getX() : Value();
  }>>(c);
  patterns.add<Rule<SelectOp, [](SelectOp op, PatternRewriter &b) -> Value {
    auto inverse = op.getCondition().getDefiningOp<NotOp>();
    if (!inverse)
      return {};
    return b.create<SelectOp>(op.getLoc(), inverse.getX(), op.getOnFalse(), op.getOnTrue());
  }>>(c);
  // Constants that a double holds exactly.
  patterns.add<Rule<CompareOp, [](CompareOp op, PatternRewriter &b) -> Value {
    auto l = splatValue(op.getLhs()), r = splatValue(op.getRhs());
    Type type = elementType(op.getLhs());
    if (!l || !r || (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() > 32))
      return {};
    return splat(b, op.getLoc(), *compareSplats(op.getKind(), *l, *r), tensorType(op.getResult()));
  }>>(c);
  // Nothing is dropped with probability 0.
  patterns.add<Rule<DropoutOp, [](DropoutOp op, PatternRewriter &) -> Value {
    return op.getP().isZero() ? op.getX() : Value();
  }>>(c);
}

} // namespace raf
