#include "compiler/ir/Raf.h"

using namespace mlir;

namespace raf {
namespace {

/// (C1) and (C2) of the normalizations, and the statistics' type.
FailureOr<RankedTensorType> inferStatistics(std::optional<Location> loc, llvm::StringRef op,
                                            Value x, llvm::ArrayRef<Value> affine, int64_t axes) {
  if (axes < 1 || axes > rankOf(x)) {
    (void)emitOptionalError(loc, "'raf.", op, "' op (C1) expected 1 <= axes <= ", rankOf(x),
                            ", but got ", axes);
    return failure();
  }
  auto expected = RankedTensorType::get(shapeOf(x).take_back(axes), elementType(x));
  for (Value v : affine)
    if (v && v.getType() != expected) {
      (void)emitOptionalError(loc, "'raf.", op, "' op (C2) expected weight and bias of type ",
                              expected, ", but got ", v.getType());
      return failure();
    }
  Type element = elementType(x).isF64() ? elementType(x) : Float32Type::get(x.getContext());
  return RankedTensorType::get(shapeOf(x).drop_back(axes), element);
}

ShardingRule leadingRule(Operation *op, int64_t leading) {
  ShardingRule r;
  r.numFactors = static_cast<int>(leading);
  auto factors = [&](Type t, bool follows) {
    llvm::SmallVector<int> f(cast<RankedTensorType>(t).getRank(), -1);
    for (int64_t i = 0; follows && i < std::min<int64_t>(leading, f.size()); ++i)
      f[i] = static_cast<int>(i);
    return f;
  };
  for (auto [i, t] : llvm::enumerate(op->getOperandTypes()))
    r.operands.push_back(factors(t, i == 0));
  for (Type t : op->getResultTypes())
    r.results.push_back(factors(t, true));
  return r;
}

LogicalResult checkDim(Operation *op, int64_t dim) {
  int64_t rank = rankOf(op->getOperand(0));
  if (dim < 0 || dim >= rank)
    return op->emitOpError("(C1) expected dim within rank ") << rank << ", but got " << dim;
  return success();
}

ShardingRule exceptDim(Operation *op, int64_t dim) {
  ShardingRule r = elementwiseShardingRule(op);
  r.operands[0][dim] = r.results[0][dim] = -1;
  return r;
}

} // namespace

LogicalResult SoftmaxOp::verify() { return checkDim(*this, getDim()); }
LogicalResult LogSoftmaxOp::verify() { return checkDim(*this, getDim()); }
ShardingRule SoftmaxOp::getShardingRule() { return exceptDim(*this, getDim()); }
ShardingRule LogSoftmaxOp::getShardingRule() { return exceptDim(*this, getDim()); }

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            ValueRange operands, DictionaryAttr attributes,
                                            OpaqueProperties properties, RegionRange regions,
                                            llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  auto statistics =
      inferStatistics(loc, "layer_norm", a.getX(), {a.getWeight(), a.getBias()}, a.getAxes());
  if (failed(statistics))
    return failure();
  types.append({a.getX().getType(), *statistics, *statistics});
  return success();
}
ShardingRule LayerNormOp::getShardingRule() {
  return leadingRule(*this, rankOf(getX()) - getAxes());
}

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                          ValueRange operands, DictionaryAttr attributes,
                                          OpaqueProperties properties, RegionRange regions,
                                          llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  auto statistics = inferStatistics(loc, "rms_norm", a.getX(), {a.getWeight()}, a.getAxes());
  if (failed(statistics))
    return failure();
  types.append({a.getX().getType(), *statistics});
  return success();
}
ShardingRule RmsNormOp::getShardingRule() { return leadingRule(*this, rankOf(getX()) - getAxes()); }

} // namespace raf
