#include "compiler/ir/Raf.h"
#include "compiler/optimize/simplify/Simplify.h"

using namespace mlir;

namespace raf {
namespace {

MatmulOp product(PatternRewriter &b, Location loc, Value x, Value y, bool ta, bool tb) {
  UnitAttr yes = b.getUnitAttr();
  return b.create<MatmulOp>(loc, x, y, ta ? yes : UnitAttr(), tb ? yes : UnitAttr());
}

/// The operand of a transpose that swaps the last two dimensions only.
Value swapped(Value v) {
  auto transpose = v.getDefiningOp<TransposeOp>();
  if (!transpose || rankOf(v) < 2)
    return {};
  int64_t rank = rankOf(v);
  for (auto [i, p] : llvm::enumerate(transpose.getPermutation())) {
    int64_t at = static_cast<int64_t>(i);
    if (p != (at == rank - 1 ? rank - 2 : at == rank - 2 ? rank - 1 : at))
      return {};
  }
  return transpose.getX();
}

/// The operand of a broadcast that repeats whole matrices only, aligned as matmul's own batch rule
/// aligns them.
Value unrepeated(Value v) {
  auto broadcast = v.getDefiningOp<BroadcastOp>();
  if (!broadcast || rankOf(broadcast.getX()) < 2)
    return {};
  Value x = broadcast.getX();
  int64_t shift = rankOf(v) - rankOf(x);
  for (auto [i, d] : llvm::enumerate(broadcast.getDimensions()))
    if (d != static_cast<int64_t>(i) + shift)
      return {};
  return shapeOf(x).take_back(2) == shapeOf(v).take_back(2) ? x : Value();
}

struct FoldTransposes : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &b) const override {
    Value x = swapped(op.getA()), y = swapped(op.getB());
    if (!x && !y)
      return b.notifyMatchFailure(op, "expected an operand with its last two dimensions swapped");
    b.replaceOp(op, product(b, op.getLoc(), x ? x : op.getA(), y ? y : op.getB(),
                            op.getTransposeA() != static_cast<bool>(x),
                            op.getTransposeB() != static_cast<bool>(y)));
    return success();
  }
};

struct FoldBatchBroadcasts : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &b) const override {
    // One operand at a time: when both are repeated, one of them carries the batch.
    for (bool first : {false, true}) {
      Value plain = unrepeated(first ? op.getA() : op.getB());
      if (!plain)
        continue;
      llvm::SmallVector<Type> types;
      Value x = first ? plain : op.getA(), y = first ? op.getB() : plain;
      llvm::SmallVector<Value> operands{x, y};
      if (failed(MatmulOp::inferReturnTypes(b.getContext(), op.getLoc(), operands,
                                            op->getAttrDictionary(), op->getPropertiesStorage(), {},
                                            types)) ||
          types[0] != op.getType())
        continue;
      b.replaceOp(op, product(b, op.getLoc(), x, y, op.getTransposeA(), op.getTransposeB()));
      return success();
    }
    return b.notifyMatchFailure(op, "expected a repeated operand that the other's batch covers");
  }
};

/// (..., M, K) x (K, N): one product of all rows, a linear layer's usual form.
struct FlattenRows : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &b) const override {
    Value x = op.getA();
    llvm::ArrayRef<int64_t> other = shapeOf(op.getB());
    if (rankOf(x) == 2 || op.getTransposeA() || rankOf(x) < rankOf(op.getB()) ||
        llvm::any_of(other.drop_back(2), [](int64_t n) { return n != 1; }))
      return b.notifyMatchFailure(op, "expected rows of several samples and one matrix");
    auto flat = [&](Value v, llvm::ArrayRef<int64_t> shape) -> Value {
      if (shapeOf(v) == shape)
        return v;
      return b.create<ReshapeOp>(op.getLoc(), RankedTensorType::get(shape, elementType(v)), v);
    };
    int64_t rows = 1;
    for (int64_t n : shapeOf(x).drop_back())
      rows *= n;
    Value rowsProduct = product(b, op.getLoc(), flat(x, {rows, shapeOf(x).back()}),
                                flat(op.getB(), other.take_back(2)), false, op.getTransposeB());
    b.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), rowsProduct);
    return success();
  }
};

} // namespace

void addMatmulPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldTransposes, FoldBatchBroadcasts, FlattenRows>(patterns.getContext());
}

} // namespace raf
