#include "compiler/ir/Raf.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace raf {
namespace {

/// The constant with another type, when all its elements are equal.
OpFoldResult foldSplat(Attribute operand, Type result) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(operand);
  // Large splats stay a broadcast of a rank-0 constant: the form the other patterns look through.
  if (!dense || !dense.isSplat() || cast<RankedTensorType>(result).getRank() != 0)
    return {};
  return dense.resizeSplat(cast<ShapedType>(result));
}

bool isIdentity(llvm::ArrayRef<int64_t> permutation) {
  for (auto [i, p] : llvm::enumerate(permutation))
    if (static_cast<int64_t>(i) != p)
      return false;
  return true;
}

struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<ReshapeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "expected a reshape of a reshape");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getX());
    return success();
  }
};

struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<TransposeOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "expected a transpose of a transpose");
    llvm::SmallVector<int64_t> permutation;
    for (int64_t p : op.getPermutation())
      permutation.push_back(inner.getPermutation()[p]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, inner.getX(), permutation);
    return success();
  }
};

struct MergeBroadcasts : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().getDefiningOp<BroadcastOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "expected a broadcast of a broadcast");
    llvm::SmallVector<int64_t> dims;
    for (int64_t d : inner.getDimensions())
      dims.push_back(op.getDimensions()[d]);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getX(), dims);
    return success();
  }
};

/// A reshape or transpose of a broadcast scalar is a broadcast scalar.
template <typename Op> struct HoistScalarBroadcast : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto inner = op.getX().template getDefiningOp<BroadcastOp>();
    if (!inner || rankOf(inner.getX()) != 0)
      return rewriter.notifyMatchFailure(op, "expected the broadcast of a rank-0 value");
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getX(),
                                             llvm::ArrayRef<int64_t>{});
    return success();
  }
};

} // namespace

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult IotaOp::verify() {
  if (static_cast<int64_t>(getDim()) >= rankOf(getResult()))
    return emitOpError("(C1) expected dim within rank ")
           << rankOf(getResult()) << ", but got " << getDim();
  return success();
}

LogicalResult ReshapeOp::verify() {
  if (elementType(getX()) != elementType(getResult()))
    return emitOpError("(C1) expected equal element types, but got ")
           << elementType(getX()) << " and " << elementType(getResult());
  if (tensorType(getX()).getNumElements() != tensorType(getResult()).getNumElements())
    return emitOpError("(C2) expected equal numbers of elements, but got ")
           << getX().getType() << " and " << getResult().getType();
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getX().getType() == getResult().getType())
    return getX();
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getX()))
    return dense.isSplat() ? foldSplat(dense, getType())
                           : OpFoldResult(dense.reshape(cast<ShapedType>(getType())));
  return {};
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeReshapes, HoistScalarBroadcast<ReshapeOp>>(context);
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                            ValueRange operands, DictionaryAttr attributes,
                                            OpaqueProperties properties, RegionRange regions,
                                            llvm::SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  llvm::ArrayRef<int64_t> permutation = adaptor.getPermutation();
  llvm::SmallVector<int64_t> sorted(permutation);
  llvm::sort(sorted);
  if (static_cast<int64_t>(sorted.size()) != rankOf(operands[0]) || !isIdentity(sorted))
    return emitOptionalError(loc, "'raf.transpose' op (C1) expected a permutation of ",
                             rankOf(operands[0]), " dimensions, but got [", permutation, "]");
  llvm::SmallVector<int64_t> shape;
  for (int64_t p : permutation)
    shape.push_back(shapeOf(operands[0])[p]);
  types.push_back(RankedTensorType::get(shape, elementType(operands[0])));
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (isIdentity(getPermutation()))
    return getX();
  return {};
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeTransposes, HoistScalarBroadcast<TransposeOp>>(context);
}

LogicalResult BroadcastOp::verify() {
  llvm::ArrayRef<int64_t> dims = getDimensions(), from = shapeOf(getX()), to = shapeOf(getResult());
  if (dims.size() != from.size())
    return emitOpError("(C1) expected one dimension number per operand dimension, but got ")
           << dims.size() << " for rank " << from.size();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0 || dims[i] >= static_cast<int64_t>(to.size()) ||
        (i > 0 && dims[i] <= dims[i - 1]))
      return emitOpError("(C1) expected strictly increasing dimensions within rank ")
             << to.size() << ", but got [" << dims << "]";
    if (from[i] != 1 && from[i] != to[dims[i]])
      return emitOpError("(C2) expected extent 1 or ")
             << to[dims[i]] << " in operand dimension " << i << ", but got " << from[i];
  }
  if (elementType(getX()) != elementType(getResult()))
    return emitOpError("(C3) expected equal element types, but got ")
           << elementType(getX()) << " and " << elementType(getResult());
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return getX().getType() == getResult().getType() ? OpFoldResult(getX()) : OpFoldResult();
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeBroadcasts>(context);
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                        ValueRange operands, DictionaryAttr attributes,
                                        OpaqueProperties properties, RegionRange regions,
                                        llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  size_t rank = shapeOf(operands[0]).size();
  if (a.getStarts().size() != rank || a.getLimits().size() != rank || a.getStrides().size() != rank)
    return emitOptionalError(loc, "'raf.slice' op (C1) expected ", rank,
                             " starts, limits and strides, but got ", a.getStarts().size(), ", ",
                             a.getLimits().size(), " and ", a.getStrides().size());
  llvm::SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    int64_t start = a.getStarts()[i], limit = a.getLimits()[i], stride = a.getStrides()[i],
            extent = shapeOf(operands[0])[i];
    if (start < 0 || start > limit || limit > extent)
      return emitOptionalError(loc, "'raf.slice' op (C2) expected 0 <= start <= limit <= ", extent,
                               " in dimension ", i, ", but got ", start, " and ", limit);
    if (stride < 1)
      return emitOptionalError(loc, "'raf.slice' op (C3) expected a stride >= 1 in dimension ", i,
                               ", but got ", stride);
    shape.push_back((limit - start + stride - 1) / stride);
  }
  types.push_back(RankedTensorType::get(shape, elementType(operands[0])));
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  return getX().getType() == getResult().getType() ? OpFoldResult(getX()) : OpFoldResult();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                         ValueRange operands, DictionaryAttr attributes,
                                         OpaqueProperties properties, RegionRange regions,
                                         llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  if (operands.empty())
    return emitOptionalError(loc, "'raf.concat' op (C2) expected at least one operand");
  llvm::SmallVector<int64_t> shape(shapeOf(operands[0]));
  int64_t dim = a.getDim();
  if (dim < 0 || dim >= static_cast<int64_t>(shape.size()))
    return emitOptionalError(loc, "'raf.concat' op (C1) expected dim within rank ", shape.size(),
                             ", but got ", dim);
  for (Value v : operands.drop_front()) {
    if (elementType(v) != elementType(operands[0]) || rankOf(v) != rankOf(operands[0]))
      return emitOptionalError(
          loc, "'raf.concat' op (C2) expected equal element types and ranks, but got ",
          operands[0].getType(), " and ", v.getType());
    for (int64_t i = 0; i < rankOf(v); ++i)
      if (i != dim && shapeOf(v)[i] != shape[i])
        return emitOptionalError(loc, "'raf.concat' op (C3) expected equal extents in dimension ",
                                 i, ", but got ", shape[i], " and ", shapeOf(v)[i]);
    shape[dim] += shapeOf(v)[dim];
  }
  types.push_back(RankedTensorType::get(shape, elementType(operands[0])));
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? OpFoldResult(getInputs()[0]) : OpFoldResult();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                      ValueRange operands, DictionaryAttr attributes,
                                      OpaqueProperties properties, RegionRange regions,
                                      llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  llvm::SmallVector<int64_t> shape(shapeOf(operands[0]));
  if (a.getLow().size() != shape.size() || a.getHigh().size() != shape.size())
    return emitOptionalError(loc, "'raf.pad' op (C1) expected ", shape.size(),
                             " lows and highs, but got ", a.getLow().size(), " and ",
                             a.getHigh().size());
  for (size_t i = 0; i < shape.size(); ++i) {
    if (a.getLow()[i] < 0 || a.getHigh()[i] < 0)
      return emitOptionalError(loc, "'raf.pad' op (C1) expected paddings >= 0, but got ",
                               a.getLow()[i], " and ", a.getHigh()[i]);
    shape[i] += a.getLow()[i] + a.getHigh()[i];
  }
  if (rankOf(operands[1]) != 0 || elementType(operands[1]) != elementType(operands[0]))
    return emitOptionalError(loc, "'raf.pad' op (C2) expected a rank-0 value of type ",
                             elementType(operands[0]), ", but got ", operands[1].getType());
  types.push_back(RankedTensorType::get(shape, elementType(operands[0])));
  return success();
}

LogicalResult ReverseOp::verify() {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t d : getDims())
    if (d < 0 || d >= rankOf(getX()) || !seen.insert(d).second)
      return emitOpError("(C1) expected distinct dims within rank ")
             << rankOf(getX()) << ", but got [" << getDims() << "]";
  return success();
}

// Sharding: dimensions that are only renamed keep their factor.
ShardingRule IotaOp::getShardingRule() { return elementwiseShardingRule(*this); }
ShardingRule ReshapeOp::getShardingRule() {
  // Only leading dimensions of equal extent are known to correspond.
  ShardingRule rule;
  llvm::SmallVector<int> from(rankOf(getX()), -1), to(rankOf(getResult()), -1);
  for (size_t i = 0;
       i < std::min(from.size(), to.size()) && shapeOf(getX())[i] == shapeOf(getResult())[i]; ++i)
    from[i] = to[i] = rule.numFactors++;
  rule.operands.push_back(from);
  rule.results.push_back(to);
  return rule;
}
ShardingRule TransposeOp::getShardingRule() {
  ShardingRule rule;
  rule.numFactors = static_cast<int>(rankOf(getX()));
  llvm::SmallVector<int> from, to;
  for (int i = 0; i < rule.numFactors; ++i) {
    from.push_back(i);
    to.push_back(static_cast<int>(getPermutation()[i]));
  }
  rule.operands.push_back(from);
  rule.results.push_back(to);
  return rule;
}
ShardingRule BroadcastOp::getShardingRule() {
  ShardingRule rule;
  rule.numFactors = static_cast<int>(rankOf(getResult()));
  llvm::SmallVector<int> from, to;
  for (int i = 0; i < rule.numFactors; ++i)
    to.push_back(i);
  for (auto [i, d] : llvm::enumerate(getDimensions()))
    from.push_back(shapeOf(getX())[i] == shapeOf(getResult())[d] ? static_cast<int>(d) : -1);
  rule.operands.push_back(from);
  rule.results.push_back(to);
  return rule;
}

namespace {
/// Factors of an op that keeps the rank and touches only some dims in a way that forbids splitting
/// them.
ShardingRule keepExcept(Operation *op, llvm::function_ref<bool(int64_t)> mustNotSplit) {
  ShardingRule rule = elementwiseShardingRule(op);
  for (auto *side : {&rule.operands, &rule.results})
    for (auto &factors : *side)
      for (int &f : factors)
        if (f >= 0 && mustNotSplit(f))
          f = -1;
  return rule;
}
} // namespace

ShardingRule SliceOp::getShardingRule() {
  return keepExcept(*this,
                    [&](int64_t d) { return shapeOf(getX())[d] != shapeOf(getResult())[d]; });
}
ShardingRule ConcatOp::getShardingRule() {
  return keepExcept(*this, [&](int64_t d) { return d == static_cast<int64_t>(getDim()); });
}
ShardingRule PadOp::getShardingRule() {
  return keepExcept(*this, [&](int64_t d) { return getLow()[d] != 0 || getHigh()[d] != 0; });
}
ShardingRule ReverseOp::getShardingRule() {
  return keepExcept(*this, [&](int64_t d) { return llvm::is_contained(getDims(), d); });
}

} // namespace raf
