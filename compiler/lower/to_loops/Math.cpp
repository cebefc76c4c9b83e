// Elementary functions of f32 on whole vectors: range reduction and polynomials fitted for this
// purpose (weighted least squares at Chebyshev nodes, 40 digits). Fused multiply-adds are part of
// each formula, so scalar, vector and tail give equal bits. Errors are tested in
// tests/unit/codegen/Math.cpp.
#include "compiler/lower/to_loops/Body.h"

#include "llvm/IR/Intrinsics.h"

#include <cmath>
#include <limits>

namespace raf::gen {

using llvm::Value;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLn2High = 0.693359375; // 9 bits, so that n * high is exact
constexpr double kLn2Low = -2.12194440054690581e-4;
// e^r = 1 + r + r^2 Q(r), |r| <= ln 2 / 2
constexpr double kExp[] = {0.5000000086,   0.166666668,    0.04166624673,
                           0.008333278361, 0.001394760564, 0.0001991102294};
// log(1 + f) = f - f^2 / 2 + f^3 P(f), sqrt(1/2) <= 1 + f < sqrt(2)
constexpr double kLog[] = {0.333333107,   -0.2500001639, 0.2000221958, -0.1666765154, 0.1421755686,
                           -0.1241085698, 0.1190693093,  -0.116502732, 0.06675017118};
// erf(x) = x R(x^2), |x| < 1
constexpr double kErf[] = {1.128379166,    -0.376126269,     0.1128359746, -0.0268543288,
                           0.005189311943, -0.0008018854993, 7.88249711e-5};
// erfc(x) = e^G(x), 1 <= x <= 4
constexpr double kErfc[] = {0.0001893840347, -1.1295845,     -0.633208344,   -0.1084305333,
                            0.02521553266,   -0.00420716345, 0.000441842242, -2.172810217e-5};
// sin r = r + r^3 S(r^2), cos r = 1 - r^2 / 2 + r^4 C(r^2), |r| <= pi / 4
constexpr double kSin[] = {-0.1666666664, 0.008333329084, -0.0001983924174, 2.717449218e-6};
constexpr double kCos[] = {0.04166664498, -0.001388727896, 2.442855295e-5};
} // namespace

Value *BodyBuilder::powerOfTwo(Value *n) {
  return asFloat(ir.CreateShl(ir.CreateAdd(n, integer(n, 127)), 23));
}

BodyBuilder::ExpParts BodyBuilder::reduceForExp(Value *x) {
  // Adding 1.5 * 2^23 leaves the nearest integer in the low bits.
  Value *magic = number(x, 12582912.0);
  Value *shifted = fma(x, number(x, 1.44269504088896341), magic);
  Value *n = ir.CreateSub(bitsOf(shifted), integer(bitsOf(shifted), 0x4B400000));
  Value *whole = ir.CreateFSub(shifted, magic);
  Value *r = fma(whole, number(x, -kLn2High), x);
  return {n, fma(whole, number(x, -kLn2Low), r)};
}

Value *BodyBuilder::exp(Value *x) {
  if (isF64(x))
    return libm("exp", {x});
  // Outside, the result is 0 or infinity anyway; comparisons are such that a NaN passes.
  Value *high = number(x, 89.0), *low = number(x, -104.0);
  Value *clamped = ir.CreateSelect(ir.CreateFCmpOGT(x, high), high, x);
  clamped = ir.CreateSelect(ir.CreateFCmpOLT(clamped, low), low, clamped);
  auto [n, r] = reduceForExp(clamped);
  Value *q = polynomial(r, kExp);
  Value *e = ir.CreateFAdd(fma(q, ir.CreateFMul(r, r), r), number(x, 1.0));
  // In two steps: 2^n itself may be beyond the range at both ends.
  Value *half = ir.CreateAShr(n, 1);
  return ir.CreateFMul(ir.CreateFMul(e, powerOfTwo(half)), powerOfTwo(ir.CreateSub(n, half)));
}

Value *BodyBuilder::expm1(Value *x) {
  if (isF64(x))
    return libm("expm1", {x});
  Value *high = number(x, 89.0), *low = number(x, -20.0);
  Value *clamped = ir.CreateSelect(ir.CreateFCmpOGT(x, high), high, x);
  clamped = ir.CreateSelect(ir.CreateFCmpOLT(clamped, low), low, clamped);
  auto [n, r] = reduceForExp(clamped);
  Value *q = fma(polynomial(r, kExp), ir.CreateFMul(r, r), r); // e^r - 1
  // 2^n q + (2^n - 1), halved against overflow at n = 128.
  Value *t = powerOfTwo(ir.CreateSub(n, integer(n, 1)));
  Value *halved = fma(t, q, ir.CreateFSub(t, number(x, 0.5)));
  Value *large = ir.CreateFAdd(halved, halved);
  // n = 0 keeps -0 and the relative accuracy near 0.
  return ir.CreateSelect(ir.CreateICmpEQ(n, integer(n, 0)), q, large);
}

Value *BodyBuilder::log(Value *x) {
  if (isF64(x))
    return libm("log", {x});
  Value *tiny = ir.CreateFCmpOLT(x, number(x, 0x1p-126));
  Value *scaled = ir.CreateSelect(tiny, ir.CreateFMul(x, number(x, 0x1p23)), x);
  Value *bits = bitsOf(scaled);
  // Exponent and mantissa such that the mantissa lies around 1.
  Value *moved = ir.CreateSub(bits, integer(bits, 0x3F3504F3)); // sqrt(1/2)
  Value *exponent = ir.CreateAShr(moved, 23);
  Value *mantissa = asFloat(ir.CreateSub(bits, ir.CreateShl(exponent, 23)));
  Value *e = ir.CreateSIToFP(exponent, x->getType());
  e = ir.CreateSelect(tiny, ir.CreateFSub(e, number(x, 23.0)), e);
  Value *f = ir.CreateFSub(mantissa, number(x, 1.0));
  Value *f2 = ir.CreateFMul(f, f);
  Value *tail = ir.CreateFMul(ir.CreateFMul(f2, f), polynomial(f, kLog));
  tail = fma(e, number(x, kLn2Low), tail);
  tail = fma(f2, number(x, -0.5), tail);
  Value *result = fma(e, number(x, kLn2High), ir.CreateFAdd(f, tail));
  result = ir.CreateSelect(ir.CreateFCmpOEQ(x, number(x, kInfinity)), x, result);
  result = ir.CreateSelect(ir.CreateFCmpOEQ(x, number(x, 0.0)), number(x, -kInfinity), result);
  return ir.CreateSelect(ir.CreateFCmpULT(x, number(x, 0.0)), number(x, kNan), result);
}

Value *BodyBuilder::log1p(Value *x) {
  if (isF64(x))
    return libm("log1p", {x});
  // log(u) corrected by what rounding u = 1 + x has lost.
  Value *u = ir.CreateFAdd(x, number(x, 1.0));
  Value *lost = ir.CreateFSub(x, ir.CreateFSub(u, number(x, 1.0)));
  Value *base = log(u);
  Value *corrected = ir.CreateFAdd(base, ir.CreateFDiv(lost, u));
  Value *special =
      ir.CreateOr(ir.CreateFCmpOEQ(u, number(x, 0.0)), ir.CreateFCmpOEQ(u, number(x, kInfinity)));
  Value *result = ir.CreateSelect(special, base, corrected);
  return ir.CreateSelect(ir.CreateFCmpOEQ(u, number(x, 1.0)), x, result);
}

Value *BodyBuilder::tanh(Value *x) {
  if (isF64(x))
    return libm("tanh", {x});
  // (e^2x - 1) / (e^2x + 1), which is 1 in f32 from 10 on.
  Value *limit = number(x, 10.0);
  Value *a = abs(x);
  a = ir.CreateSelect(ir.CreateFCmpOGT(a, limit), limit, a);
  Value *m = expm1(ir.CreateFAdd(a, a));
  return intrinsic(llvm::Intrinsic::copysign,
                   {ir.CreateFDiv(m, ir.CreateFAdd(m, number(x, 2.0))), x});
}

Value *BodyBuilder::sigmoid(Value *x) {
  Value *one = number(x, 1.0);
  return ir.CreateFDiv(one, ir.CreateFAdd(one, exp(ir.CreateFNeg(x))));
}

Value *BodyBuilder::erf(Value *x) {
  if (isF64(x))
    return libm("erf", {x});
  Value *a = abs(x);
  Value *small = ir.CreateFMul(x, polynomial(ir.CreateFMul(x, x), kErf));
  Value *limit = number(x, 4.0); // from here on 1 in f32
  Value *clamped = ir.CreateSelect(ir.CreateFCmpOGT(a, limit), limit, a);
  Value *large = ir.CreateFSub(number(x, 1.0), exp(polynomial(clamped, kErfc)));
  large = intrinsic(llvm::Intrinsic::copysign, {large, x});
  return ir.CreateSelect(ir.CreateFCmpOLT(a, number(x, 1.0)), small, large);
}

std::pair<Value *, Value *> BodyBuilder::sincos(Value *x) {
  if (isF64(x))
    return {libm("sin", {x}), libm("cos", {x})};
  // x = k pi/2 + r in f64: exact enough up to 2^27. Beyond, libm takes over lane by lane.
  llvm::Type *wide = withLanes(ir.getDoubleTy(), x);
  Value *xd = ir.CreateFPExt(x, wide);
  Value *k = intrinsic(llvm::Intrinsic::roundeven,
                       {ir.CreateFMul(xd, number(xd, 0.63661977236758134308))});
  Value *rd = fma(k, number(xd, -1.57079632679489655800), xd);
  rd = fma(k, number(xd, -6.12323399573676603587e-17), rd);
  Value *r = ir.CreateFPTrunc(rd, x->getType());
  llvm::Type *i32 = withLanes(ir.getInt32Ty(), x);
  Value *quadrant = ir.CreateFreeze(ir.CreateFPToSI(k, i32));
  Value *r2 = ir.CreateFMul(r, r);
  Value *s = fma(ir.CreateFMul(r2, r), polynomial(r2, kSin), r);
  Value *c =
      fma(ir.CreateFMul(r2, r2), polynomial(r2, kCos), fma(r2, number(x, -0.5), number(x, 1.0)));
  Value *swap = ir.CreateTrunc(quadrant, withLanes(ir.getInt1Ty(), x));
  auto flip = [&](Value *v, Value *q) {
    Value *sign = ir.CreateShl(ir.CreateAnd(q, integer(q, 2)), 30);
    return asFloat(ir.CreateXor(bitsOf(v), sign));
  };
  Value *sine = flip(ir.CreateSelect(swap, c, s), quadrant);
  Value *cosine = flip(ir.CreateSelect(swap, s, c), ir.CreateAdd(quadrant, integer(quadrant, 1)));

  Value *huge = ir.CreateFCmpOGT(abs(x), number(x, 0x1p27));
  if (lanesOf(x))
    huge = ir.CreateOrReduce(huge);
  llvm::BasicBlock *from = ir.GetInsertBlock();
  llvm::Function *function = from->getParent();
  auto *slow = llvm::BasicBlock::Create(ir.getContext(), "huge", function);
  auto *join = llvm::BasicBlock::Create(ir.getContext(), "join", function);
  ir.CreateCondBr(huge, slow, join);
  ir.SetInsertPoint(slow);
  Value *slowSine = libm("sin", {x}), *slowCosine = libm("cos", {x});
  ir.CreateBr(join);
  ir.SetInsertPoint(join);
  auto merge = [&](Value *fast, Value *exact) -> Value * {
    llvm::PHINode *phi = ir.CreatePHI(fast->getType(), 2);
    phi->addIncoming(fast, from);
    phi->addIncoming(exact, slow);
    return phi;
  };
  // Both phis stand before any other instruction of the block.
  Value *first = merge(sine, slowSine);
  Value *second = merge(cosine, slowCosine);
  return {first, second};
}

} // namespace raf::gen
