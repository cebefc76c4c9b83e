// Bodies of the elementwise ops.
#include "compiler/ir/Raf.h"
#include "compiler/lower/to_loops/Body.h"
#include "compiler/lower/to_loops/LoopModels.h"

#include "llvm/IR/Intrinsics.h"

#include <limits>

using llvm::Intrinsic::ID;
namespace Intrinsic = llvm::Intrinsic;

namespace raf::gen {
namespace {

using Value = llvm::Value;
using Values = llvm::ArrayRef<llvm::Value *>;
using B = BodyBuilder;

bool isFloat(Value *v) { return v->getType()->getScalarType()->isFloatingPointTy(); }
bool isSigned(mlir::Operation *op) { return !elementType(op->getOperand(0)).isUnsignedInteger(); }

/// `emit` computes in the computing type; `Exact` results need no rounding to bf16 or f16 because
/// they are operands, or are representable whenever the operands are.
template <class Op, Value *(*emit)(B &, Op, Values), bool Exact>
struct Body : ScalarBodyOpInterface::ExternalModel<Body<Op, emit, Exact>, Op> {
  Value *emitScalar(mlir::Operation *op, BodyBuilder &b, Values operands) const {
    Value *result = emit(b, mlir::cast<Op>(op), operands);
    return Exact ? result : b.round(result, elementType(op->getResult(0)));
  }
};

template <class Op, Value *(*emit)(B &, Op, Values), bool Exact = false>
void attach(mlir::MLIRContext *context) {
  Op::template attachInterface<Body<Op, emit, Exact>>(*context);
}

// Operators with one instruction for floats and one for integers.
Value *add(B &b, AddOp, Values x) {
  return isFloat(x[0]) ? b.ir.CreateFAdd(x[0], x[1]) : b.ir.CreateAdd(x[0], x[1]);
}
Value *sub(B &b, SubOp, Values x) {
  return isFloat(x[0]) ? b.ir.CreateFSub(x[0], x[1]) : b.ir.CreateSub(x[0], x[1]);
}
Value *mul(B &b, MulOp, Values x) {
  return isFloat(x[0]) ? b.ir.CreateFMul(x[0], x[1]) : b.ir.CreateMul(x[0], x[1]);
}

// Division by zero and INT_MIN / -1 would stop the program: both divide by 1 instead.
Value *safeDivisor(B &b, Value *n, Value *d, bool isSigned) {
  Value *bad = b.ir.CreateICmpEQ(d, b.integer(d, 0));
  if (isSigned) {
    const unsigned bits = d->getType()->getScalarSizeInBits();
    Value *least = llvm::ConstantInt::get(n->getType(), llvm::APInt::getSignedMinValue(bits));
    bad = b.ir.CreateOr(
        bad, b.ir.CreateAnd(b.ir.CreateICmpEQ(d, b.integer(d, -1)), b.ir.CreateICmpEQ(n, least)));
  }
  return b.ir.CreateSelect(bad, b.integer(d, 1), d);
}

Value *div(B &b, DivOp op, Values x) {
  if (isFloat(x[0]))
    return b.ir.CreateFDiv(x[0], x[1]);
  Value *divisor = safeDivisor(b, x[0], x[1], isSigned(op));
  return isSigned(op) ? b.ir.CreateSDiv(x[0], divisor) : b.ir.CreateUDiv(x[0], divisor);
}

Value *remainder(B &b, RemainderOp op, Values x) {
  if (isFloat(x[0])) {
    Value *rest = b.libm("fmod", {x[0], x[1]});
    Value *zero = b.number(rest, 0.0);
    Value *otherSign =
        b.ir.CreateICmpNE(b.ir.CreateFCmpOLT(rest, zero), b.ir.CreateFCmpOLT(x[1], zero));
    Value *fix = b.ir.CreateAnd(b.ir.CreateFCmpUNE(rest, zero), otherSign);
    return b.ir.CreateSelect(fix, b.ir.CreateFAdd(rest, x[1]), rest);
  }
  Value *divisor = safeDivisor(b, x[0], x[1], isSigned(op));
  if (!isSigned(op))
    return b.ir.CreateURem(x[0], divisor);
  Value *rest = b.ir.CreateSRem(x[0], divisor);
  Value *zero = b.integer(rest, 0);
  Value *otherSign = b.ir.CreateICmpSLT(b.ir.CreateXor(rest, divisor), zero);
  Value *fix = b.ir.CreateAnd(b.ir.CreateICmpNE(rest, zero), otherSign);
  return b.ir.CreateSelect(fix, b.ir.CreateAdd(rest, divisor), rest);
}

Value *integerExtreme(B &b, bool isMax, bool isSigned, Value *x, Value *y) {
  return b.ir.CreateBinaryIntrinsic(isMax ? (isSigned ? Intrinsic::smax : Intrinsic::umax)
                                          : (isSigned ? Intrinsic::smin : Intrinsic::umin),
                                    x, y);
}
Value *maximum(B &b, MaximumOp op, Values x) {
  return isFloat(x[0]) ? b.maximum(x[0], x[1]) : integerExtreme(b, true, isSigned(op), x[0], x[1]);
}
Value *minimum(B &b, MinimumOp op, Values x) {
  return isFloat(x[0]) ? b.minimum(x[0], x[1]) : integerExtreme(b, false, isSigned(op), x[0], x[1]);
}

Value *neg(B &b, NegOp, Values x) {
  return isFloat(x[0]) ? b.ir.CreateFNeg(x[0]) : b.ir.CreateNeg(x[0]);
}
Value *abs(B &b, AbsOp op, Values x) {
  if (isFloat(x[0]))
    return b.abs(x[0]);
  return isSigned(op) ? b.ir.CreateBinaryIntrinsic(Intrinsic::abs, x[0], b.ir.getFalse()) : x[0];
}
Value *sign(B &b, SignOp op, Values x) {
  if (isFloat(x[0])) {
    Value *zero = b.number(x[0], 0.0);
    Value *negative = b.ir.CreateSelect(b.ir.CreateFCmpOLT(x[0], zero), b.number(x[0], -1.0), x[0]);
    return b.ir.CreateSelect(b.ir.CreateFCmpOGT(x[0], zero), b.number(x[0], 1.0), negative);
  }
  Value *zero = b.integer(x[0], 0), *one = b.integer(x[0], 1);
  Value *positive = b.ir.CreateSelect(b.ir.CreateICmpEQ(x[0], zero), zero, one);
  if (!isSigned(op))
    return positive;
  return b.ir.CreateSelect(b.ir.CreateICmpSLT(x[0], zero), b.integer(x[0], -1), positive);
}
Value *relu(B &b, ReluOp op, Values x) {
  if (!isFloat(x[0]))
    return isSigned(op) ? integerExtreme(b, true, true, x[0], b.integer(x[0], 0)) : x[0];
  Value *zero = b.number(x[0], 0.0);
  return b.ir.CreateSelect(b.ir.CreateFCmpULT(zero, x[0]), x[0], zero); // unordered: NaN stays
}

Value *exp(B &b, ExpOp, Values x) { return b.exp(x[0]); }
Value *expm1(B &b, Expm1Op, Values x) { return b.expm1(x[0]); }
Value *log(B &b, LogOp, Values x) { return b.log(x[0]); }
Value *log1p(B &b, Log1pOp, Values x) { return b.log1p(x[0]); }
Value *sqrt(B &b, SqrtOp, Values x) { return b.sqrt(x[0]); }
Value *rsqrt(B &b, RsqrtOp, Values x) { return b.ir.CreateFDiv(b.number(x[0], 1.0), b.sqrt(x[0])); }
Value *reciprocal(B &b, ReciprocalOp, Values x) {
  return b.ir.CreateFDiv(b.number(x[0], 1.0), x[0]);
}
Value *sin(B &b, SinOp, Values x) { return b.sincos(x[0]).first; }
Value *cos(B &b, CosOp, Values x) { return b.sincos(x[0]).second; }
Value *tan(B &b, TanOp, Values x) {
  if (x[0]->getType()->getScalarType()->isDoubleTy())
    return b.libm("tan", {x[0]});
  auto [s, c] = b.sincos(x[0]);
  return b.ir.CreateFDiv(s, c);
}
Value *tanh(B &b, TanhOp, Values x) { return b.tanh(x[0]); }
Value *erf(B &b, ErfOp, Values x) { return b.erf(x[0]); }
Value *sigmoid(B &b, SigmoidOp, Values x) { return b.sigmoid(x[0]); }
Value *pow(B &b, PowOp, Values x) { return b.libm("pow", {x[0], x[1]}); }
Value *atan2(B &b, Atan2Op, Values x) { return b.libm("atan2", {x[0], x[1]}); }

template <class Op, llvm::Intrinsic::ID id> Value *rounding(B &b, Op, Values x) {
  return b.intrinsic(id, {x[0]});
}

Value *bitNot(B &b, NotOp, Values x) { return b.ir.CreateNot(x[0]); }
Value *bitAnd(B &b, AndOp, Values x) { return b.ir.CreateAnd(x[0], x[1]); }
Value *bitOr(B &b, OrOp, Values x) { return b.ir.CreateOr(x[0], x[1]); }
Value *bitXor(B &b, XorOp, Values x) { return b.ir.CreateXor(x[0], x[1]); }

Value *compare(B &b, CompareOp op, Values x) {
  using P = llvm::CmpInst::Predicate;
  const unsigned kind = static_cast<unsigned>(op.getKind()); // eq ne lt le gt ge
  if (isFloat(x[0])) {
    constexpr P kinds[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OLT,
                           P::FCMP_OLE, P::FCMP_OGT, P::FCMP_OGE};
    return b.ir.CreateFCmp(kinds[kind], x[0], x[1]);
  }
  constexpr P signedKinds[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_SLT,
                               P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE};
  constexpr P unsignedKinds[] = {P::ICMP_EQ,  P::ICMP_NE,  P::ICMP_ULT,
                                 P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
  const bool isUnsigned = !isSigned(op) || elementType(op.getLhs()).isInteger(1);
  return b.ir.CreateICmp((isUnsigned ? unsignedKinds : signedKinds)[kind], x[0], x[1]);
}

Value *isNan(B &b, IsNanOp, Values x) { return b.isNan(x[0]); }
Value *isFinite(B &b, IsFiniteOp, Values x) {
  Value *infinity = b.number(x[0], std::numeric_limits<double>::infinity());
  return b.ir.CreateFCmpONE(b.abs(x[0]), infinity);
}
Value *select(B &b, SelectOp, Values x) { return b.ir.CreateSelect(x[0], x[1], x[2]); }

Value *cast(B &b, CastOp op, Values x) {
  mlir::Type from = elementType(op.getX()), to = elementType(op.getResult());
  llvm::Type *type = B::withLanes(b.computeType(to), x[0]);
  const bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (to.isInteger(1))
    return isFloat(x[0]) ? b.ir.CreateFCmpUNE(x[0], b.number(x[0], 0.0))
                         : b.ir.CreateICmpNE(x[0], b.integer(x[0], 0));
  if (isFloat(x[0])) {
    if (llvm::isa<mlir::FloatType>(to))
      return b.ir.CreateFPCast(x[0], type); // rounded to bf16 or f16 afterwards
    // What lies outside the range gives some value, as in C.
    if (to.getIntOrFloatBitWidth() < 32) {
      Value *wide = b.ir.CreateFPToSI(x[0], B::withLanes(b.ir.getInt32Ty(), x[0]));
      return b.ir.CreateTrunc(b.ir.CreateFreeze(wide), type);
    }
    return b.ir.CreateFreeze(b.ir.CreateFPToSI(x[0], type));
  }
  if (llvm::isa<mlir::FloatType>(to))
    return fromUnsigned ? b.ir.CreateUIToFP(x[0], type) : b.ir.CreateSIToFP(x[0], type);
  return b.ir.CreateIntCast(x[0], type, !fromUnsigned);
}

} // namespace

void attachElementwiseBodies(mlir::MLIRContext *c) {
  attach<AddOp, add>(c);
  attach<SubOp, sub>(c);
  attach<MulOp, mul>(c);
  attach<DivOp, div>(c);
  attach<PowOp, pow>(c);
  attach<Atan2Op, atan2>(c);
  attach<RemainderOp, remainder>(c);
  attach<MaximumOp, maximum, true>(c);
  attach<MinimumOp, minimum, true>(c);
  attach<NegOp, neg, true>(c);
  attach<AbsOp, abs, true>(c);
  attach<SignOp, sign, true>(c);
  attach<ReluOp, relu, true>(c);
  attach<ExpOp, exp>(c);
  attach<Expm1Op, expm1>(c);
  attach<LogOp, log>(c);
  attach<Log1pOp, log1p>(c);
  attach<SqrtOp, sqrt>(c);
  attach<RsqrtOp, rsqrt>(c);
  attach<ReciprocalOp, reciprocal>(c);
  attach<SinOp, sin>(c);
  attach<CosOp, cos>(c);
  attach<TanOp, tan>(c);
  attach<TanhOp, tanh>(c);
  attach<ErfOp, erf>(c);
  attach<SigmoidOp, sigmoid>(c);
  attach<FloorOp, rounding<FloorOp, Intrinsic::floor>, true>(c);
  attach<CeilOp, rounding<CeilOp, Intrinsic::ceil>>(c);
  attach<RoundOp, rounding<RoundOp, Intrinsic::roundeven>>(c);
  attach<TruncOp, rounding<TruncOp, Intrinsic::trunc>, true>(c);
  attach<NotOp, bitNot, true>(c);
  attach<AndOp, bitAnd, true>(c);
  attach<OrOp, bitOr, true>(c);
  attach<XorOp, bitXor, true>(c);
  attach<CompareOp, compare, true>(c);
  attach<IsNanOp, isNan, true>(c);
  attach<IsFiniteOp, isFinite, true>(c);
  attach<SelectOp, select, true>(c);
  attach<CastOp, cast>(c);
}

} // namespace raf::gen
