#include "compiler/ir/Raf.h"
#include "compiler/optimize/simplify/Simplify.h"

using namespace mlir;

namespace raf {
namespace {

llvm::SmallVector<int64_t> nonUnitDims(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> dims;
  for (auto [i, n] : llvm::enumerate(shape))
    if (n != 1)
      dims.push_back(static_cast<int64_t>(i));
  return dims;
}

/// Whether the shapes are equal up to extents of 1.
bool sameUpToUnits(llvm::ArrayRef<int64_t> l, llvm::ArrayRef<int64_t> r) {
  auto extents = [](llvm::ArrayRef<int64_t> shape) {
    llvm::SmallVector<int64_t> kept;
    llvm::copy_if(shape, std::back_inserter(kept), [](int64_t n) { return n != 1; });
    return kept;
  };
  return extents(l) == extents(r);
}

Value reshape(PatternRewriter &b, Location loc, Value x, llvm::ArrayRef<int64_t> shape) {
  if (shapeOf(x) == shape)
    return x;
  return b.create<ReshapeOp>(loc, RankedTensorType::get(shape, elementType(x)), x);
}

/// A transpose that moves only extents of 1 is a reshape, which needs no strides.
struct TransposeOfUnits : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &b) const override {
    int64_t last = -1;
    for (int64_t p : op.getPermutation()) {
      if (shapeOf(op.getX())[p] == 1)
        continue;
      if (p < last)
        return b.notifyMatchFailure(op, "expected the order of extents other than 1 to stay");
      last = p;
    }
    b.replaceOp(op, reshape(b, op.getLoc(), op.getX(), shapeOf(op.getResult())));
    return success();
  }
};

/// reshape(broadcast(x)) that adds or drops extents of 1: broadcast(reshape(x)) with x's own
/// extents of 1 dropped.
struct ReshapeOfBroadcast : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &b) const override {
    auto broadcast = op.getX().getDefiningOp<BroadcastOp>();
    if (!broadcast || rankOf(broadcast.getX()) == 0 ||
        !sameUpToUnits(shapeOf(op.getX()), shapeOf(op.getResult())))
      return b.notifyMatchFailure(op, "expected a broadcast with extents of 1 added or dropped");
    Value x = broadcast.getX();
    llvm::SmallVector<int64_t> from = nonUnitDims(shapeOf(op.getX())),
                               to = nonUnitDims(shapeOf(op.getResult())), shape, dims;
    for (auto [n, d] : llvm::zip(shapeOf(x), broadcast.getDimensions()))
      if (n != 1) {
        shape.push_back(n);
        dims.push_back(to[llvm::find(from, d) - from.begin()]);
      }
    x = reshape(b, op.getLoc(), x, shape);
    b.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), x, dims);
    return success();
  }
};

/// broadcast(reshape(x)) where the reshape only inserts extents of 1: broadcast(x).
struct BroadcastOfReshape : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter &b) const override {
    auto inner = op.getX().getDefiningOp<ReshapeOp>();
    if (!inner)
      return b.notifyMatchFailure(op, "expected the broadcast of a reshape");
    llvm::ArrayRef<int64_t> x = shapeOf(inner.getX()), middle = shapeOf(op.getX());
    llvm::SmallVector<int64_t> dims;
    size_t next = 0;
    for (size_t i = 0; i < middle.size(); ++i)
      if (next < x.size() && x[next] == middle[i]) {
        dims.push_back(op.getDimensions()[i]);
        ++next;
      } else if (middle[i] != 1) {
        next = x.size() + 1;
        break;
      }
    if (next != x.size())
      return b.notifyMatchFailure(op, "expected a reshape that inserts extents of 1");
    b.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getX(), dims);
    return success();
  }
};

/// transpose(broadcast(x)) = broadcast(transpose(x)): the smaller one moves, and often need not.
struct TransposeOfBroadcast : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &b) const override {
    auto broadcast = op.getX().getDefiningOp<BroadcastOp>();
    if (!broadcast || rankOf(broadcast.getX()) == 0)
      return b.notifyMatchFailure(op, "expected the transpose of a broadcast");
    // (place in the result, dimension of x), in the order of the result.
    llvm::SmallVector<int64_t> order, dims;
    for (auto [i, p] : llvm::enumerate(op.getPermutation())) {
      const auto *from = llvm::find(broadcast.getDimensions(), p);
      if (from == broadcast.getDimensions().end())
        continue;
      order.push_back(from - broadcast.getDimensions().begin());
      dims.push_back(static_cast<int64_t>(i));
    }
    Value x = broadcast.getX();
    if (!llvm::is_sorted(order))
      x = b.create<TransposeOp>(op.getLoc(), x, order);
    b.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), x, dims);
    return success();
  }
};

struct SliceOfSlice : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &b) const override {
    auto inner = op.getX().getDefiningOp<SliceOp>();
    if (!inner)
      return b.notifyMatchFailure(op, "expected a slice of a slice");
    llvm::SmallVector<int64_t> starts, limits, strides;
    for (int64_t i = 0; i < rankOf(op.getX()); ++i) {
      int64_t stride = inner.getStrides()[i], n = shapeOf(op.getResult())[i];
      starts.push_back(inner.getStarts()[i] + op.getStarts()[i] * stride);
      strides.push_back(stride * op.getStrides()[i]);
      // Up to the last element taken; an empty slice at the end of a strided one may start beyond
      // it.
      if (n == 0)
        starts.back() = inner.getStarts()[i];
      limits.push_back(n == 0 ? starts.back() : starts.back() + (n - 1) * strides.back() + 1);
    }
    b.replaceOpWithNewOp<SliceOp>(op, inner.getX(), starts, limits, strides);
    return success();
  }
};

/// A slice of one operand of a concatenation, or of what a pad surrounds.
struct SliceOfJoined : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &b) const override {
    Value source;
    llvm::SmallVector<int64_t> offset(rankOf(op.getX()), 0);
    if (auto concat = op.getX().getDefiningOp<ConcatOp>()) {
      int64_t dim = concat.getDim(), at = 0;
      for (Value input : concat.getInputs()) {
        int64_t end = at + shapeOf(input)[dim];
        if (!source && op.getStarts()[dim] >= at && op.getLimits()[dim] <= end) {
          source = input;
          offset[dim] = at;
        }
        at = end;
      }
    } else if (auto pad = op.getX().getDefiningOp<PadOp>()) {
      bool inside = true;
      for (int64_t i = 0; i < rankOf(op.getX()); ++i) {
        offset[i] = pad.getLow()[i];
        inside &= op.getStarts()[i] >= offset[i] &&
                  op.getLimits()[i] <= offset[i] + shapeOf(pad.getX())[i];
      }
      if (inside)
        source = pad.getX();
    }
    if (!source)
      return b.notifyMatchFailure(op, "expected a slice within one operand");
    llvm::SmallVector<int64_t> starts, limits;
    for (auto [start, limit, o] : llvm::zip(op.getStarts(), op.getLimits(), offset)) {
      starts.push_back(start - o);
      limits.push_back(limit - o);
    }
    b.replaceOpWithNewOp<SliceOp>(op, source, starts, limits, op.getStrides());
    return success();
  }
};

/// slice(broadcast(x)) = broadcast(slice(x)), sliced only where x varies.
struct SliceOfBroadcast : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &b) const override {
    auto broadcast = op.getX().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return b.notifyMatchFailure(op, "expected a slice of a broadcast");
    Value x = broadcast.getX();
    llvm::SmallVector<int64_t> starts, limits, strides;
    for (auto [n, d] : llvm::zip(shapeOf(x), broadcast.getDimensions())) {
      bool repeats = n != shapeOf(op.getX())[d] || n == 1;
      // A dimension of extent 1 stays whole unless the slice is empty: then nothing is read.
      starts.push_back(repeats ? 0 : op.getStarts()[d]);
      limits.push_back(repeats ? 1 : op.getLimits()[d]);
      strides.push_back(repeats ? 1 : op.getStrides()[d]);
    }
    if (rankOf(x) > 0)
      x = b.createOrFold<SliceOp>(op.getLoc(), x, starts, limits, strides);
    b.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), x, broadcast.getDimensions());
    return success();
  }
};

/// Joins neighbours among the operands of a concatenation that are adjacent slices of one value.
struct ConcatOfSlices : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op, PatternRewriter &b) const override {
    llvm::SmallVector<Value> parts;
    int64_t dim = op.getDim();
    for (Value v : op.getInputs()) {
      Value joined = parts.empty() ? Value() : join(b, op.getLoc(), parts.back(), v, dim);
      if (joined)
        parts.back() = joined;
      else
        parts.push_back(v);
    }
    if (parts.size() == op.getInputs().size())
      return b.notifyMatchFailure(op, "expected operands that are adjacent slices of one value");
    if (parts.size() == 1)
      b.replaceOp(op, parts[0]);
    else
      b.replaceOpWithNewOp<ConcatOp>(op, parts, b.getI64IntegerAttr(dim));
    return success();
  }

private:
  static Value join(PatternRewriter &b, Location loc, Value l, Value r, int64_t dim) {
    auto first = l.getDefiningOp<SliceOp>(), second = r.getDefiningOp<SliceOp>();
    if (!first || !second || first.getX() != second.getX() ||
        first.getStrides() != second.getStrides() || first.getStrides()[dim] != 1 ||
        first.getLimits()[dim] != second.getStarts()[dim])
      return {};
    for (int64_t i = 0; i < rankOf(l); ++i)
      if (i != dim && (first.getStarts()[i] != second.getStarts()[i] ||
                       first.getLimits()[i] != second.getLimits()[i]))
        return {};
    llvm::SmallVector<int64_t> limits(first.getLimits());
    limits[dim] = second.getLimits()[dim];
    return b.createOrFold<SliceOp>(loc, first.getX(), first.getStarts(), limits,
                                   first.getStrides());
  }
};

struct PadOfNothing : OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PadOp op, PatternRewriter &b) const override {
    if (op.getX().getType() != op.getType())
      return b.notifyMatchFailure(op, "expected no padding");
    b.replaceOp(op, op.getX());
    return success();
  }
};

} // namespace

void addViewPatterns(RewritePatternSet &patterns) {
  patterns.add<TransposeOfUnits, ReshapeOfBroadcast, BroadcastOfReshape, TransposeOfBroadcast,
               SliceOfSlice, SliceOfJoined, SliceOfBroadcast, ConcatOfSlices, PadOfNothing>(
      patterns.getContext());
}

} // namespace raf
