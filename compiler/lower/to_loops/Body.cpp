#include "compiler/lower/to_loops/Body.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

namespace raf::gen {

using llvm::Value;

unsigned BodyBuilder::lanesOf(Value *v) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  return type ? type->getNumElements() : 0;
}

llvm::Type *BodyBuilder::withLanes(llvm::Type *scalar, Value *like) {
  const unsigned lanes = lanesOf(like);
  return lanes ? llvm::FixedVectorType::get(scalar, lanes) : scalar;
}

llvm::Type *BodyBuilder::computeType(mlir::Type element) {
  if (element.isF64())
    return ir.getDoubleTy();
  if (llvm::isa<mlir::FloatType>(element))
    return ir.getFloatTy();
  return ir.getIntNTy(element.getIntOrFloatBitWidth());
}

llvm::Type *BodyBuilder::memoryType(mlir::Type element) {
  if (element.isF16())
    return ir.getHalfTy();
  if (element.isBF16())
    return ir.getInt16Ty();
  if (element.isInteger(1))
    return ir.getInt8Ty();
  return computeType(element);
}

Value *BodyBuilder::splat(Value *scalar, unsigned lanes) {
  return lanes ? ir.CreateVectorSplat(lanes, scalar) : scalar;
}

Value *BodyBuilder::bitsOf(Value *x) { return ir.CreateBitCast(x, withLanes(ir.getInt32Ty(), x)); }

Value *BodyBuilder::asFloat(Value *bits) {
  return ir.CreateBitCast(bits, withLanes(ir.getFloatTy(), bits));
}

Value *BodyBuilder::fromMemory(Value *v, mlir::Type element) {
  if (element.isF16())
    return ir.CreateFPExt(v, withLanes(ir.getFloatTy(), v));
  if (element.isBF16())
    return asFloat(ir.CreateShl(ir.CreateZExt(v, withLanes(ir.getInt32Ty(), v)), 16));
  if (element.isInteger(1))
    return ir.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
  return v;
}

Value *BodyBuilder::toMemory(Value *v, mlir::Type element) {
  if (element.isF16())
    return ir.CreateFPTrunc(v, withLanes(ir.getHalfTy(), v));
  if (element.isBF16()) // already rounded
    return ir.CreateTrunc(ir.CreateLShr(bitsOf(v), 16), withLanes(ir.getInt16Ty(), v));
  if (element.isInteger(1))
    return ir.CreateZExt(v, withLanes(ir.getInt8Ty(), v));
  return v;
}

Value *BodyBuilder::round(Value *v, mlir::Type element) {
  if (element.isF16())
    return ir.CreateFPExt(ir.CreateFPTrunc(v, withLanes(ir.getHalfTy(), v)), v->getType());
  if (!element.isBF16())
    return v;
  Value *bits = bitsOf(v);
  Value *odd = ir.CreateAnd(ir.CreateLShr(bits, 16), integer(bits, 1));
  Value *up = ir.CreateAdd(bits, ir.CreateAdd(odd, integer(bits, 0x7fff)));
  // A NaN stays one: its payload may lie in the bits that go.
  Value *quiet = ir.CreateOr(bits, integer(bits, 0x400000));
  Value *kept = ir.CreateAnd(ir.CreateSelect(isNan(v), quiet, up), integer(bits, 0xffff0000));
  return asFloat(kept);
}

Value *BodyBuilder::number(Value *like, double value) {
  return llvm::ConstantFP::get(like->getType(), value);
}

Value *BodyBuilder::integer(Value *like, int64_t value) {
  return llvm::ConstantInt::get(like->getType(), value, /*IsSigned=*/true);
}

Value *BodyBuilder::intrinsic(llvm::Intrinsic::ID id, Values operands) {
  return ir.CreateIntrinsic(id, {operands[0]->getType()}, operands);
}

Value *BodyBuilder::fma(Value *a, Value *b, Value *c) {
  return intrinsic(llvm::Intrinsic::fma, {a, b, c});
}

Value *BodyBuilder::polynomial(Value *x, llvm::ArrayRef<double> coefficients) {
  Value *sum = number(x, coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, number(x, c));
  return sum;
}

Value *BodyBuilder::libm(llvm::StringRef name, Values operands) {
  llvm::Type *scalar = operands[0]->getType()->getScalarType();
  llvm::Module *module = ir.GetInsertBlock()->getModule();
  llvm::SmallVector<llvm::Type *> types(operands.size(), scalar);
  const std::string symbol = (name + (scalar->isFloatTy() ? "f" : "")).str();
  llvm::FunctionCallee callee =
      module->getOrInsertFunction(symbol, llvm::FunctionType::get(scalar, types, false));
  auto *function = llvm::cast<llvm::Function>(callee.getCallee());
  function->addFnAttr(llvm::Attribute::NonLazyBind);
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  const unsigned lanes = lanesOf(operands[0]);
  if (!lanes)
    return ir.CreateCall(callee, operands);
  Value *result = llvm::PoisonValue::get(operands[0]->getType());
  for (unsigned lane = 0; lane < lanes; ++lane) {
    llvm::SmallVector<Value *> elements;
    for (Value *operand : operands)
      elements.push_back(ir.CreateExtractElement(operand, lane));
    result = ir.CreateInsertElement(result, ir.CreateCall(callee, elements), lane);
  }
  return result;
}

Value *BodyBuilder::maximum(Value *a, Value *b) {
  Value *larger = ir.CreateSelect(ir.CreateFCmpOGT(a, b), a, b); // b where unordered
  return ir.CreateSelect(isNan(a), a, larger);
}

Value *BodyBuilder::minimum(Value *a, Value *b) {
  Value *smaller = ir.CreateSelect(ir.CreateFCmpOLT(a, b), a, b);
  return ir.CreateSelect(isNan(a), a, smaller);
}

} // namespace raf::gen
