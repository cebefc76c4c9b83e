#include "compiler/ir/Raf.h"

using namespace mlir;

namespace raf {
namespace {

LogicalResult inferReduced(std::optional<Location> loc, llvm::StringRef op, Value x,
                           llvm::ArrayRef<int64_t> dims, llvm::SmallVectorImpl<Type> &types) {
  llvm::SmallVector<int64_t> shape;
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i] < 0 || dims[i] >= rankOf(x) || (i > 0 && dims[i] <= dims[i - 1]))
      return emitOptionalError(loc, "'raf.", op,
                               "' op (C1) expected strictly increasing dims within rank ",
                               rankOf(x), ", but got [", dims, "]");
  for (int64_t i = 0; i < rankOf(x); ++i)
    if (!llvm::is_contained(dims, i))
      shape.push_back(shapeOf(x)[i]);
  types.push_back(RankedTensorType::get(shape, elementType(x)));
  return success();
}

LogicalResult checkDim(std::optional<Location> loc, llvm::StringRef op, int64_t dim, int64_t rank) {
  if (dim < 0 || dim >= rank)
    return emitOptionalError(loc, "'raf.", op, "' op (C1) expected dim within rank ", rank,
                             ", but got ", dim);
  return success();
}

/// Reduced dimensions are contracted: splitting them leaves partial results.
ShardingRule reduceRule(Operation *op, llvm::ArrayRef<int64_t> dims, bool mayContract) {
  ShardingRule r;
  int64_t rank = rankOf(op->getOperand(0));
  r.numFactors = static_cast<int>(rank);
  llvm::SmallVector<int> from, to;
  for (int i = 0; i < rank; ++i) {
    bool reduced = llvm::is_contained(dims, i);
    from.push_back(reduced && !mayContract ? -1 : i);
    if (!reduced)
      to.push_back(i);
    else if (mayContract)
      r.sumFactors.push_back(i);
  }
  r.operands.push_back(from);
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    r.results.push_back(to);
  return r;
}

/// Every dimension but `dim` may be split.
ShardingRule exceptDim(Operation *op, int64_t dim) {
  ShardingRule r = elementwiseShardingRule(op);
  for (auto *side : {&r.operands, &r.results})
    for (auto &factors : *side)
      factors[dim] = -1;
  return r;
}

} // namespace

LogicalResult ReduceSumOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            ValueRange operands, DictionaryAttr attributes,
                                            OpaqueProperties properties, RegionRange regions,
                                            llvm::SmallVectorImpl<Type> &types) {
  return inferReduced(loc, "reduce_sum", operands[0],
                      Adaptor(operands, attributes, properties, regions).getDims(), types);
}
ShardingRule ReduceSumOp::getShardingRule() { return reduceRule(*this, getDims(), true); }

LogicalResult ReduceMaxOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            ValueRange operands, DictionaryAttr attributes,
                                            OpaqueProperties properties, RegionRange regions,
                                            llvm::SmallVectorImpl<Type> &types) {
  return inferReduced(loc, "reduce_max", operands[0],
                      Adaptor(operands, attributes, properties, regions).getDims(), types);
}
ShardingRule ReduceMaxOp::getShardingRule() { return reduceRule(*this, getDims(), false); }

LogicalResult ReduceMinOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            ValueRange operands, DictionaryAttr attributes,
                                            OpaqueProperties properties, RegionRange regions,
                                            llvm::SmallVectorImpl<Type> &types) {
  return inferReduced(loc, "reduce_min", operands[0],
                      Adaptor(operands, attributes, properties, regions).getDims(), types);
}
ShardingRule ReduceMinOp::getShardingRule() { return reduceRule(*this, getDims(), false); }

LogicalResult ReduceProdOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                             ValueRange operands, DictionaryAttr attributes,
                                             OpaqueProperties properties, RegionRange regions,
                                             llvm::SmallVectorImpl<Type> &types) {
  return inferReduced(loc, "reduce_prod", operands[0],
                      Adaptor(operands, attributes, properties, regions).getDims(), types);
}
ShardingRule ReduceProdOp::getShardingRule() { return reduceRule(*this, getDims(), false); }

LogicalResult ReduceAnyOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            ValueRange operands, DictionaryAttr attributes,
                                            OpaqueProperties properties, RegionRange regions,
                                            llvm::SmallVectorImpl<Type> &types) {
  return inferReduced(loc, "reduce_any", operands[0],
                      Adaptor(operands, attributes, properties, regions).getDims(), types);
}
ShardingRule ReduceAnyOp::getShardingRule() { return reduceRule(*this, getDims(), false); }

LogicalResult ReduceAllOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            ValueRange operands, DictionaryAttr attributes,
                                            OpaqueProperties properties, RegionRange regions,
                                            llvm::SmallVectorImpl<Type> &types) {
  return inferReduced(loc, "reduce_all", operands[0],
                      Adaptor(operands, attributes, properties, regions).getDims(), types);
}
ShardingRule ReduceAllOp::getShardingRule() { return reduceRule(*this, getDims(), false); }

LogicalResult MeanOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                       ValueRange operands, DictionaryAttr attributes,
                                       OpaqueProperties properties, RegionRange regions,
                                       llvm::SmallVectorImpl<Type> &types) {
  return inferReduced(loc, "mean", operands[0],
                      Adaptor(operands, attributes, properties, regions).getDims(), types);
}
ShardingRule MeanOp::getShardingRule() { return reduceRule(*this, getDims(), false); }

LogicalResult LogSumExpOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            ValueRange operands, DictionaryAttr attributes,
                                            OpaqueProperties properties, RegionRange regions,
                                            llvm::SmallVectorImpl<Type> &types) {
  return inferReduced(loc, "logsumexp", operands[0],
                      Adaptor(operands, attributes, properties, regions).getDims(), types);
}
ShardingRule LogSumExpOp::getShardingRule() { return reduceRule(*this, getDims(), false); }

LogicalResult VarOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                      ValueRange operands, DictionaryAttr attributes,
                                      OpaqueProperties properties, RegionRange regions,
                                      llvm::SmallVectorImpl<Type> &types) {
  return inferReduced(loc, "var", operands[0],
                      Adaptor(operands, attributes, properties, regions).getDims(), types);
}
ShardingRule VarOp::getShardingRule() { return reduceRule(*this, getDims(), false); }

LogicalResult ArgMaxOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                         ValueRange operands, DictionaryAttr attributes,
                                         OpaqueProperties properties, RegionRange regions,
                                         llvm::SmallVectorImpl<Type> &types) {
  int64_t dim = Adaptor(operands, attributes, properties, regions).getDim();
  if (failed(checkDim(loc, "argmax", dim, rankOf(operands[0]))))
    return failure();
  if (shapeOf(operands[0])[dim] == 0)
    return emitOptionalError(loc, "'raf.argmax' op (C1) expected a dim of extent > 0, but got ",
                             operands[0].getType());
  if (failed(inferReduced(loc, "argmax", operands[0], {dim}, types)))
    return failure();
  types.back() = RankedTensorType::get(cast<RankedTensorType>(types.back()).getShape(),
                                       IntegerType::get(operands[0].getContext(), 64));
  return success();
}
ShardingRule ArgMaxOp::getShardingRule() {
  return reduceRule(*this, {static_cast<int64_t>(getDim())}, false);
}

LogicalResult ArgMinOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                         ValueRange operands, DictionaryAttr attributes,
                                         OpaqueProperties properties, RegionRange regions,
                                         llvm::SmallVectorImpl<Type> &types) {
  int64_t dim = Adaptor(operands, attributes, properties, regions).getDim();
  if (failed(checkDim(loc, "argmin", dim, rankOf(operands[0]))))
    return failure();
  if (shapeOf(operands[0])[dim] == 0)
    return emitOptionalError(loc, "'raf.argmin' op (C1) expected a dim of extent > 0, but got ",
                             operands[0].getType());
  if (failed(inferReduced(loc, "argmin", operands[0], {dim}, types)))
    return failure();
  types.back() = RankedTensorType::get(cast<RankedTensorType>(types.back()).getShape(),
                                       IntegerType::get(operands[0].getContext(), 64));
  return success();
}
ShardingRule ArgMinOp::getShardingRule() {
  return reduceRule(*this, {static_cast<int64_t>(getDim())}, false);
}

OpFoldResult ReduceSumOp::fold(FoldAdaptor) {
  return getDims().empty() ? OpFoldResult(getX()) : OpFoldResult();
}

LogicalResult CumSumOp::verify() { return checkDim(getLoc(), "cumsum", getDim(), rankOf(getX())); }
ShardingRule CumSumOp::getShardingRule() { return exceptDim(*this, getDim()); }

LogicalResult SortOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                       ValueRange operands, DictionaryAttr attributes,
                                       OpaqueProperties properties, RegionRange regions,
                                       llvm::SmallVectorImpl<Type> &types) {
  if (failed(checkDim(loc, "sort", Adaptor(operands, attributes, properties, regions).getDim(),
                      rankOf(operands[0]))))
    return failure();
  types.push_back(operands[0].getType());
  types.push_back(
      RankedTensorType::get(shapeOf(operands[0]), IntegerType::get(operands[0].getContext(), 64)));
  return success();
}
ShardingRule SortOp::getShardingRule() { return exceptDim(*this, getDim()); }

LogicalResult TopKOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                       ValueRange operands, DictionaryAttr attributes,
                                       OpaqueProperties properties, RegionRange regions,
                                       llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  int64_t dim = a.getDim(), k = a.getK();
  if (failed(checkDim(loc, "topk", dim, rankOf(operands[0]))))
    return failure();
  llvm::SmallVector<int64_t> shape(shapeOf(operands[0]));
  if (k < 0 || k > shape[dim])
    return emitOptionalError(loc, "'raf.topk' op (C2) expected 0 <= k <= ", shape[dim],
                             ", but got ", k);
  shape[dim] = k;
  types.push_back(RankedTensorType::get(shape, elementType(operands[0])));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(operands[0].getContext(), 64)));
  return success();
}
ShardingRule TopKOp::getShardingRule() { return exceptDim(*this, getDim()); }

} // namespace raf
