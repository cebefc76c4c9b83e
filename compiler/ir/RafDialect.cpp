#include "compiler/ir/Raf.h"
#include "compiler/ir/Types.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#include "compiler/ir/Dialect.cpp.inc"
#include "compiler/ir/Enums.cpp.inc"
#include "compiler/ir/Interfaces.cpp.inc"

namespace raf {

void RafDialect::initialize() { registerRafDialectOperations(this); }

Operation *RafDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                           Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return builder.create<ConstantOp>(loc, elements);
}

double countElements(TypeRange types) {
  double n = 0;
  for (Type t : types)
    if (auto tensor = dyn_cast<RankedTensorType>(t))
      n += static_cast<double>(tensor.getNumElements());
  return n;
}

int64_t elementBytes(Type elementType) {
  return static_cast<int64_t>(sizeOf(dtypeOf(elementType)));
}

static std::optional<DType> storageOf(Type type) {
  if (type.isF32())
    return DType::F32;
  if (type.isF64())
    return DType::F64;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF16())
    return DType::F16;
  if (type.isUnsignedInteger(8))
    return DType::U8;
  if (type.isSignlessInteger(1))
    return DType::I1;
  if (type.isSignlessInteger(8))
    return DType::I8;
  if (type.isSignlessInteger(16))
    return DType::I16;
  if (type.isSignlessInteger(32))
    return DType::I32;
  if (type.isSignlessInteger(64))
    return DType::I64;
  return std::nullopt;
}

bool isElementType(Type type) { return storageOf(type).has_value(); }

DType dtypeOf(Type type) {
  std::optional<DType> dtype = storageOf(type);
  if (!dtype)
    llvm::report_fatal_error("a tensor of this element type is none of the raf dialect");
  return *dtype;
}

double countBytes(TypeRange types) {
  double n = 0;
  for (Type t : types)
    if (auto tensor = dyn_cast<RankedTensorType>(t))
      n += static_cast<double>(tensor.getNumElements()) *
           static_cast<double>(elementBytes(tensor.getElementType()));
  return n;
}

ShardingRule elementwiseShardingRule(Operation *op) {
  ShardingRule rule;
  int64_t rank = 0;
  for (Type t : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(t))
      rank = std::max(rank, tensor.getRank());
  rule.numFactors = static_cast<int>(rank);
  auto factors = [&](Type t) {
    llvm::SmallVector<int> f;
    auto tensor = dyn_cast<RankedTensorType>(t);
    int64_t r = tensor ? tensor.getRank() : 0;
    for (int64_t i = 0; i < r; ++i)
      f.push_back(r == rank ? static_cast<int>(i) : -1);
    return f;
  };
  for (Type t : op->getOperandTypes())
    rule.operands.push_back(factors(t));
  for (Type t : op->getResultTypes())
    rule.results.push_back(factors(t));
  return rule;
}

Value scalarConstant(OpBuilder &b, Location loc, double value, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  if (auto f = dyn_cast<FloatType>(elementType))
    return b.create<ConstantOp>(loc, DenseElementsAttr::get(type, b.getFloatAttr(f, value)));
  return b.create<ConstantOp>(
      loc,
      DenseElementsAttr::get(type, b.getIntegerAttr(elementType, static_cast<int64_t>(value))));
}

Value broadcastTo(OpBuilder &b, Location loc, Value x, llvm::ArrayRef<int64_t> shape) {
  if (shapeOf(x) == shape)
    return x;
  llvm::SmallVector<int64_t> dims;
  int64_t shift = static_cast<int64_t>(shape.size()) - rankOf(x);
  for (int64_t i = 0; i < rankOf(x); ++i)
    dims.push_back(i + shift);
  return b.create<BroadcastOp>(loc, RankedTensorType::get(shape, elementType(x)), x, dims);
}

Value splat(OpBuilder &b, Location loc, double value, RankedTensorType type) {
  return broadcastTo(b, loc, scalarConstant(b, loc, value, type.getElementType()), type.getShape());
}

Value broadcastReduced(OpBuilder &b, Location loc, Value x, llvm::ArrayRef<int64_t> dims,
                       llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> kept;
  for (int64_t i = 0, e = static_cast<int64_t>(shape.size()); i < e; ++i)
    if (!llvm::is_contained(dims, i))
      kept.push_back(i);
  if (kept.size() == shape.size())
    return x;
  return b.create<BroadcastOp>(loc, RankedTensorType::get(shape, elementType(x)), x, kept);
}

Value castTo(OpBuilder &b, Location loc, Value x, Type type) {
  if (elementType(x) == type)
    return x;
  return b.create<CastOp>(loc, RankedTensorType::get(shapeOf(x), type), x);
}

std::optional<double> splatValue(Value v) {
  while (Operation *def = v.getDefiningOp()) {
    if (isa<BroadcastOp, ReshapeOp, TransposeOp>(def)) {
      v = def->getOperand(0);
      continue;
    }
    auto constant = dyn_cast<ConstantOp>(def);
    auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
    if (!dense || !dense.isSplat())
      return std::nullopt;
    if (isa<FloatType>(dense.getElementType())) {
      bool lossy;
      llvm::APFloat f = dense.getSplatValue<llvm::APFloat>();
      f.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
      return f.convertToDouble();
    }
    llvm::APInt i = dense.getSplatValue<llvm::APInt>();
    return i.getBitWidth() == 1 ? i.getZExtValue() : static_cast<double>(i.getSExtValue());
  }
  return std::nullopt;
}

} // namespace raf
