#include "compiler/ir/Raf.h"

using namespace mlir;

namespace raf {
namespace {

llvm::SmallVector<int64_t> takeShape(llvm::ArrayRef<int64_t> x, llvm::ArrayRef<int64_t> indices,
                                     int64_t dim) {
  llvm::SmallVector<int64_t> shape(x.take_front(dim));
  shape.append(indices.begin(), indices.end());
  shape.append(x.begin() + dim + 1, x.end());
  return shape;
}

LogicalResult checkDim(std::optional<Location> loc, llvm::StringRef op, int64_t dim, int64_t rank) {
  if (dim < 0 || dim >= rank)
    return emitOptionalError(loc, "'raf.", op, "' op (C1) expected dim within rank ", rank,
                             ", but got ", dim);
  return success();
}

LogicalResult checkGather(std::optional<Location> loc, llvm::StringRef op, Value x, Value indices,
                          int64_t dim) {
  if (failed(checkDim(loc, op, dim, rankOf(x))))
    return failure();
  if (rankOf(indices) != rankOf(x))
    return emitOptionalError(loc, "'raf.", op, "' op (C1) expected indices of rank ", rankOf(x),
                             ", but got ", indices.getType());
  for (int64_t i = 0; i < rankOf(x); ++i)
    if (i != dim && shapeOf(indices)[i] > shapeOf(x)[i])
      return emitOptionalError(loc, "'raf.", op,
                               "' op (C2) expected an extent of indices <= ", shapeOf(x)[i],
                               " in dimension ", i, ", but got ", shapeOf(indices)[i]);
  return success();
}

} // namespace

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            ValueRange operands, DictionaryAttr, OpaqueProperties,
                                            RegionRange, llvm::SmallVectorImpl<Type> &types) {
  if (rankOf(operands[0]) != 2)
    return emitOptionalError(loc, "'raf.embedding' op (C1) expected a weight of rank 2, but got ",
                             operands[0].getType());
  types.push_back(RankedTensorType::get(takeShape(shapeOf(operands[0]), shapeOf(operands[1]), 0),
                                        elementType(operands[0])));
  return success();
}

LogicalResult EmbeddingGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                ValueRange operands, DictionaryAttr attributes,
                                                OpaqueProperties properties, RegionRange regions,
                                                llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  if (rankOf(operands[0]) != rankOf(operands[1]) + 1 ||
      shapeOf(operands[0]).drop_back() != shapeOf(operands[1]))
    return emitOptionalError(
        loc,
        "'raf.embedding_grad' op (C1) expected grad of ids' shape and one more dimension, but got ",
        operands[0].getType(), " and ", operands[1].getType());
  types.push_back(RankedTensorType::get(
      {static_cast<int64_t>(a.getRows()), shapeOf(operands[0]).back()}, elementType(operands[0])));
  return success();
}

LogicalResult TakeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                       ValueRange operands, DictionaryAttr attributes,
                                       OpaqueProperties properties, RegionRange regions,
                                       llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  if (failed(checkDim(loc, "take", a.getDim(), rankOf(operands[0]))))
    return failure();
  types.push_back(RankedTensorType::get(
      takeShape(shapeOf(operands[0]), shapeOf(operands[1]), a.getDim()), elementType(operands[0])));
  return success();
}

LogicalResult PutAddOp::verify() {
  int64_t dim = getDim();
  if (failed(checkDim(getLoc(), "put_add", dim, rankOf(getBase()))))
    return failure();
  auto expected = RankedTensorType::get(takeShape(shapeOf(getBase()), shapeOf(getIndices()), dim),
                                        elementType(getBase()));
  if (getUpdates().getType() != expected)
    return emitOpError("(C1) expected updates of type ")
           << expected << ", but got " << getUpdates().getType();
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                         ValueRange operands, DictionaryAttr attributes,
                                         OpaqueProperties properties, RegionRange regions,
                                         llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  if (failed(checkGather(loc, "gather", operands[0], operands[1], a.getDim())))
    return failure();
  types.push_back(RankedTensorType::get(shapeOf(operands[1]), elementType(operands[0])));
  return success();
}

LogicalResult ScatterAddOp::verify() {
  if (shapeOf(getUpdates()) != shapeOf(getIndices()) ||
      elementType(getUpdates()) != elementType(getBase()))
    return emitOpError(
               "(C1) expected updates of the indices' shape and base's element type, but got ")
           << getUpdates().getType();
  return checkGather(getLoc(), "scatter_add", getBase(), getIndices(), getDim());
}

// The indexed dimension must be whole; rows of ids are independent.
ShardingRule EmbeddingOp::getShardingRule() {
  ShardingRule r;
  int n = static_cast<int>(rankOf(getIds()));
  llvm::SmallVector<int> ids;
  for (int i = 0; i < n; ++i)
    ids.push_back(i);
  r.numFactors = n + 1;
  r.operands = {{-1, n}, ids};
  ids.push_back(n);
  r.results = {ids};
  return r;
}
ShardingRule EmbeddingGradOp::getShardingRule() {
  ShardingRule r;
  int n = static_cast<int>(rankOf(getIds()));
  llvm::SmallVector<int> ids;
  for (int i = 0; i < n; ++i) {
    ids.push_back(i);
    r.sumFactors.push_back(i);
  }
  r.numFactors = n + 1;
  llvm::SmallVector<int> grad = ids;
  grad.push_back(n);
  r.operands = {grad, ids};
  r.results = {{-1, n}};
  return r;
}
namespace {
ShardingRule unsplittable(Operation *op) {
  ShardingRule r;
  for (Type t : op->getOperandTypes())
    r.operands.push_back(llvm::SmallVector<int>(cast<RankedTensorType>(t).getRank(), -1));
  for (Type t : op->getResultTypes())
    r.results.push_back(llvm::SmallVector<int>(cast<RankedTensorType>(t).getRank(), -1));
  return r;
}
} // namespace
ShardingRule TakeOp::getShardingRule() { return unsplittable(*this); }
ShardingRule PutAddOp::getShardingRule() { return unsplittable(*this); }
ShardingRule GatherOp::getShardingRule() { return unsplittable(*this); }
ShardingRule ScatterAddOp::getShardingRule() { return unsplittable(*this); }

} // namespace raf
