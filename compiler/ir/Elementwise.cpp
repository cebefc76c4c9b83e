#include "compiler/ir/Raf.h"

using namespace mlir;

namespace raf {
namespace {

DenseElementsAttr splatOf(Attribute a) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(a);
  return dense && dense.isSplat() ? dense : DenseElementsAttr();
}

/// Folds splat constants with the element type's own arithmetic, so that the bits are those of a
/// run.
template <typename FloatFn, typename IntFn>
OpFoldResult foldBinary(llvm::ArrayRef<Attribute> operands, FloatFn onFloat, IntFn onInt) {
  DenseElementsAttr l = splatOf(operands[0]), r = splatOf(operands[1]);
  if (!l || !r)
    return {};
  if (isa<FloatType>(l.getElementType()))
    return DenseElementsAttr::get(
        l.getType(), onFloat(l.getSplatValue<llvm::APFloat>(), r.getSplatValue<llvm::APFloat>()));
  std::optional<llvm::APInt> v =
      onInt(l.getSplatValue<llvm::APInt>(), r.getSplatValue<llvm::APInt>());
  return v ? OpFoldResult(DenseElementsAttr::get(l.getType(), *v)) : OpFoldResult();
}

LogicalResult inferBool(Value x, llvm::SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get(shapeOf(x), IntegerType::get(x.getContext(), 1)));
  return success();
}

} // namespace

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  DenseElementsAttr x = splatOf(adaptor.getX());
  if (!x)
    return {};
  if (isa<FloatType>(x.getElementType()))
    return DenseElementsAttr::get(x.getType(), llvm::neg(x.getSplatValue<llvm::APFloat>()));
  return DenseElementsAttr::get(x.getType(), -x.getSplatValue<llvm::APInt>());
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  return foldBinary(
      adaptor.getOperands(), [](auto a, auto b) { return a + b; },
      [](auto a, auto b) { return std::optional(a + b); });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  // x - (+0) keeps every bit of x, also of -0.
  if (auto v = splatValue(getRhs()); v && *v == 0 && !std::signbit(*v))
    return getLhs();
  return foldBinary(
      adaptor.getOperands(), [](auto a, auto b) { return a - b; },
      [](auto a, auto b) { return std::optional(a - b); });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (auto v = splatValue(getRhs()); v && *v == 1)
    return getLhs();
  if (auto v = splatValue(getLhs()); v && *v == 1)
    return getRhs();
  return foldBinary(
      adaptor.getOperands(), [](auto a, auto b) { return a * b; },
      [](auto a, auto b) { return std::optional(a * b); });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (auto v = splatValue(getRhs()); v && *v == 1)
    return getLhs();
  return foldBinary(
      adaptor.getOperands(), [](auto a, auto b) { return a / b; },
      [](auto a, auto b) {
        return b.isZero() || (b.isAllOnes() && a.isMinSignedValue()) ? std::nullopt
                                                                     : std::optional(a.sdiv(b));
      });
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                          ValueRange operands, DictionaryAttr, OpaqueProperties,
                                          RegionRange, llvm::SmallVectorImpl<Type> &types) {
  return inferBool(operands[0], types);
}
LogicalResult IsNanOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                        DictionaryAttr, OpaqueProperties, RegionRange,
                                        llvm::SmallVectorImpl<Type> &types) {
  return inferBool(operands[0], types);
}
LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                           ValueRange operands, DictionaryAttr, OpaqueProperties,
                                           RegionRange, llvm::SmallVectorImpl<Type> &types) {
  return inferBool(operands[0], types);
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                         ValueRange operands, DictionaryAttr, OpaqueProperties,
                                         RegionRange, llvm::SmallVectorImpl<Type> &types) {
  if (shapeOf(operands[0]) != shapeOf(operands[1]))
    return emitOptionalError(
        loc, "'raf.select' op (C1) expected condition and values of equal shape, but got ",
        operands[0].getType(), " and ", operands[1].getType());
  if (operands[1].getType() != operands[2].getType())
    return emitOptionalError(loc, "'raf.select' op (C2) expected values of equal type, but got ",
                             operands[1].getType(), " and ", operands[2].getType());
  types.push_back(operands[1].getType());
  return success();
}

OpFoldResult SelectOp::fold(FoldAdaptor) {
  if (auto v = splatValue(getCondition()))
    return *v != 0 ? getOnTrue() : getOnFalse();
  if (getOnTrue() == getOnFalse())
    return getOnTrue();
  return {};
}

LogicalResult CastOp::verify() {
  if (shapeOf(getX()) != shapeOf(getResult()))
    return emitOpError("(C1) expected equal shapes, but got ")
           << getX().getType() << " and " << getResult().getType();
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getResult().getType())
    return getX();
  DenseElementsAttr x = splatOf(adaptor.getX());
  if (!x)
    return {};
  auto to = tensorType(getResult());
  auto toFloat = dyn_cast<FloatType>(to.getElementType());
  bool lossy;
  if (isa<FloatType>(x.getElementType())) {
    llvm::APFloat f = x.getSplatValue<llvm::APFloat>();
    if (!toFloat)
      return {};
    f.convert(toFloat.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    return DenseElementsAttr::get(to, f);
  }
  llvm::APInt i = x.getSplatValue<llvm::APInt>();
  bool isUnsigned = x.getElementType().isInteger(1) || x.getElementType().isUnsignedInteger();
  if (toFloat) {
    llvm::APFloat f(toFloat.getFloatSemantics());
    f.convertFromAPInt(i, !isUnsigned, llvm::APFloat::rmNearestTiesToEven);
    return DenseElementsAttr::get(to, f);
  }
  unsigned width = to.getElementTypeBitWidth();
  if (width == 1)
    return DenseElementsAttr::get(to, llvm::APInt(1, !i.isZero()));
  return DenseElementsAttr::get(to, isUnsigned ? i.zextOrTrunc(width) : i.sextOrTrunc(width));
}

} // namespace raf
