// What op bodies are written with: an LLVM IR builder whose values are scalars or vectors, and
// functions on them. Computing types: f32 for f32, bf16 and f16; the type itself for the others.
#pragma once

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/IR/IRBuilder.h"

namespace raf::gen {

class BodyBuilder {
public:
  using Value = llvm::Value;
  using Values = llvm::ArrayRef<llvm::Value *>;

  explicit BodyBuilder(llvm::IRBuilder<> &ir) : ir(ir) {}
  llvm::IRBuilder<> &ir;

  /// The LLVM type values of this element type are computed in.
  llvm::Type *computeType(mlir::Type element);
  /// The LLVM type they have in memory (i1: i8, bf16: i16).
  llvm::Type *memoryType(mlir::Type element);
  static llvm::Type *withLanes(llvm::Type *scalar, Value *like);
  static unsigned lanesOf(Value *v);
  Value *splat(Value *scalar, unsigned lanes);
  /// From and to memory's type.
  Value *fromMemory(Value *v, mlir::Type element);
  Value *toMemory(Value *v, mlir::Type element);
  /// Rounds an f32 to the values of bf16 or f16; other types stay.
  Value *round(Value *v, mlir::Type element);

  Value *number(Value *like, double value);   // constant of `like`'s type
  Value *integer(Value *like, int64_t value); // constant of `like`'s type
  Value *fma(Value *a, Value *b, Value *c);
  /// c[0] + c[1] x + ..., one fused multiply-add per coefficient.
  Value *polynomial(Value *x, llvm::ArrayRef<double> coefficients);
  Value *intrinsic(llvm::Intrinsic::ID id, Values operands);
  /// libm, element by element: `name` + "f" for f32.
  Value *libm(llvm::StringRef name, Values operands);
  Value *abs(Value *x) { return intrinsic(llvm::Intrinsic::fabs, {x}); }
  Value *sqrt(Value *x) { return intrinsic(llvm::Intrinsic::sqrt, {x}); }
  Value *isNan(Value *x) { return ir.CreateFCmpUNO(x, x); }
  Value *maximum(Value *a, Value *b); // NaN wins
  Value *minimum(Value *a, Value *b);

  // Math.cpp. f32 by polynomials of our own on whole vectors; f64 by libm.
  Value *exp(Value *x);
  Value *expm1(Value *x);
  Value *log(Value *x);
  Value *log1p(Value *x);
  Value *tanh(Value *x);
  Value *sigmoid(Value *x);
  Value *erf(Value *x);
  std::pair<Value *, Value *> sincos(Value *x);

private:
  Value *bitsOf(Value *x); // f32 as i32
  Value *asFloat(Value *bits);
  struct ExpParts {
    Value *n, *r; // x = n ln 2 + r; n as i32
  };
  ExpParts reduceForExp(Value *x);
  Value *powerOfTwo(Value *n); // i32 in the exponent's range -> f32
  bool isF64(Value *x) const { return x->getType()->getScalarType()->isDoubleTy(); }
};

} // namespace raf::gen
