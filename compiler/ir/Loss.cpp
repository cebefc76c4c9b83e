#include "compiler/ir/Raf.h"

using namespace mlir;

namespace raf {
namespace {

/// Samples are independent; a reduced loss is a partial sum across shards.
ShardingRule lossRule(Operation *op, Reduction reduction) {
  ShardingRule r = elementwiseShardingRule(op);
  if (reduction == Reduction::none)
    return r;
  r = ShardingRule();
  int64_t rank = rankOf(op->getOperand(0));
  r.numFactors = static_cast<int>(rank);
  for (Type t : op->getOperandTypes()) {
    llvm::SmallVector<int> f;
    for (int i = 0; i < cast<RankedTensorType>(t).getRank(); ++i)
      f.push_back(i);
    r.operands.push_back(f);
  }
  r.results.push_back({});
  // A mean divides by the global count: only a sum may be taken apart.
  for (int i = 0; i < rank; ++i) {
    if (reduction == Reduction::sum)
      r.sumFactors.push_back(i);
    else
      for (auto &f : r.operands)
        if (i < static_cast<int>(f.size()))
          f[i] = -1;
  }
  return r;
}

} // namespace

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                               ValueRange operands, DictionaryAttr attributes,
                                               OpaqueProperties properties, RegionRange regions,
                                               llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  Value logits = a.getLogits(), labels = a.getLabels();
  if (rankOf(logits) != 2 || rankOf(labels) != 1 || shapeOf(logits)[0] != shapeOf(labels)[0])
    return emitOptionalError(
        loc, "'raf.cross_entropy' op (C1) expected logits (N, C) and labels (N), but got ",
        logits.getType(), " and ", labels.getType());
  double smoothing = a.getLabelSmoothing().convertToDouble();
  if (!(smoothing >= 0 && smoothing <= 1))
    return emitOptionalError(
        loc, "'raf.cross_entropy' op (C2) expected 0 <= label_smoothing <= 1, but got ", smoothing);
  if (Value w = a.getWeight();
      w && w.getType() != RankedTensorType::get({shapeOf(logits)[1]}, elementType(logits)))
    return emitOptionalError(loc, "'raf.cross_entropy' op (C3) expected a weight of ",
                             shapeOf(logits)[1], " x ", elementType(logits), ", but got ",
                             w.getType());
  llvm::SmallVector<int64_t> shape;
  if (a.getReduction() == Reduction::none)
    shape.push_back(shapeOf(logits)[0]);
  types.push_back(RankedTensorType::get(shape, elementType(logits)));
  Type statistic = elementType(logits).isF64() ? elementType(logits) : Float32Type::get(context);
  types.push_back(RankedTensorType::get({shapeOf(logits)[0]}, statistic));
  return success();
}

ShardingRule CrossEntropyOp::getShardingRule() {
  ShardingRule r;
  bool splits = getReduction() != Reduction::mean;
  int f = splits ? 0 : -1;
  r.numFactors = splits ? 1 : 0;
  r.operands = {{f, -1}, {f}};
  if (getWeight())
    r.operands.push_back({-1});
  r.results = {getReduction() == Reduction::none ? llvm::SmallVector<int>{f}
                                                 : llvm::SmallVector<int>{},
               {f}};
  if (getReduction() == Reduction::sum)
    r.sumFactors = {0};
  return r;
}

LogicalResult MseLossOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                          ValueRange operands, DictionaryAttr attributes,
                                          OpaqueProperties properties, RegionRange regions,
                                          llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  types.push_back(a.getReduction() == Reduction::none
                      ? operands[0].getType()
                      : Type(RankedTensorType::get({}, elementType(operands[0]))));
  return success();
}
ShardingRule MseLossOp::getShardingRule() { return lossRule(*this, getReduction()); }

LogicalResult L1LossOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         ValueRange operands, DictionaryAttr attributes,
                                         OpaqueProperties properties, RegionRange regions,
                                         llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  types.push_back(a.getReduction() == Reduction::none
                      ? operands[0].getType()
                      : Type(RankedTensorType::get({}, elementType(operands[0]))));
  return success();
}
ShardingRule L1LossOp::getShardingRule() { return lossRule(*this, getReduction()); }

LogicalResult HuberLossOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                            ValueRange operands, DictionaryAttr attributes,
                                            OpaqueProperties properties, RegionRange regions,
                                            llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  types.push_back(a.getReduction() == Reduction::none
                      ? operands[0].getType()
                      : Type(RankedTensorType::get({}, elementType(operands[0]))));
  return success();
}
ShardingRule HuberLossOp::getShardingRule() { return lossRule(*this, getReduction()); }

LogicalResult SmoothL1LossOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                               ValueRange operands, DictionaryAttr attributes,
                                               OpaqueProperties properties, RegionRange regions,
                                               llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  types.push_back(a.getReduction() == Reduction::none
                      ? operands[0].getType()
                      : Type(RankedTensorType::get({}, elementType(operands[0]))));
  return success();
}
ShardingRule SmoothL1LossOp::getShardingRule() { return lossRule(*this, getReduction()); }

LogicalResult BceLossOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                          ValueRange operands, DictionaryAttr attributes,
                                          OpaqueProperties properties, RegionRange regions,
                                          llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  types.push_back(a.getReduction() == Reduction::none
                      ? operands[0].getType()
                      : Type(RankedTensorType::get({}, elementType(operands[0]))));
  return success();
}
ShardingRule BceLossOp::getShardingRule() { return lossRule(*this, getReduction()); }

LogicalResult BceWithLogitsLossOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                    ValueRange operands, DictionaryAttr attributes,
                                                    OpaqueProperties properties,
                                                    RegionRange regions,
                                                    llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  types.push_back(a.getReduction() == Reduction::none
                      ? operands[0].getType()
                      : Type(RankedTensorType::get({}, elementType(operands[0]))));
  return success();
}
ShardingRule BceWithLogitsLossOp::getShardingRule() { return lossRule(*this, getReduction()); }

LogicalResult KlDivLossOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                            ValueRange operands, DictionaryAttr attributes,
                                            OpaqueProperties properties, RegionRange regions,
                                            llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  types.push_back(a.getReduction() == Reduction::none
                      ? operands[0].getType()
                      : Type(RankedTensorType::get({}, elementType(operands[0]))));
  return success();
}
ShardingRule KlDivLossOp::getShardingRule() { return lossRule(*this, getReduction()); }

} // namespace raf
