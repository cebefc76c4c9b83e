// --raf-split-reductions: a reduction that would leave most threads without work, or make one work
// item walk too far, becomes partial results over chunks and their combination.
#include "compiler/ir/Raf.h"
#include "compiler/lower/to_loops/Codegen.h"
#include "compiler/lower/to_loops/Passes.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace raf::gen {

namespace {

constexpr int64_t kChunk = 16384;   // elements that one item should at least reduce
constexpr int64_t kMostChunks = 64; // partial results are cheap to combine
constexpr int64_t kEnoughItems = 64;
constexpr int64_t kColumnsPerItem = 64;

/// The largest divisor of `extent` that is at most `most`.
int64_t divisorUpTo(int64_t extent, int64_t most) {
  for (int64_t d = std::min(extent, most); d > 1; --d)
    if (extent % d == 0)
      return d;
  return 1;
}

template <class Op> bool split(Op reduce) {
  llvm::ArrayRef<int64_t> shape = shapeOf(reduce.getX()), dims = reduce.getDims();
  const int64_t rank = shape.size();
  int64_t reduced = 1, kept = 1, outermost = -1;
  bool alongVectors = false; // the innermost dimension is reduced
  for (int64_t i = 0; i < rank; ++i) {
    const bool isReduced = llvm::is_contained(dims, i);
    (isReduced ? reduced : kept) *= shape[i];
    if (shape[i] != 1) {
      alongVectors = isReduced;
      if (isReduced && outermost < 0)
        outermost = i;
    }
  }
  const int64_t items = alongVectors ? kept : (kept + kColumnsPerItem - 1) / kColumnsPerItem;
  const int64_t perItem = alongVectors ? reduced : reduced * std::min(kept, kColumnsPerItem);
  if (reduced == 0 || kept == 0 || items >= kEnoughItems || perItem < 2 * kChunk)
    return false;
  const int64_t wanted =
      std::min({perItem / kChunk, kMostChunks, (2 * kEnoughItems + items - 1) / items});
  // The outermost reduced dimension is cut; where it is too short for that, the next joins it by
  // being reduced in a chunk of its own.
  const int64_t chunks = divisorUpTo(shape[outermost], wanted);
  if (chunks < 2)
    return false;

  OpBuilder b(reduce);
  Location loc = reduce.getLoc();
  llvm::SmallVector<int64_t> cut(shape), inner, firstDims, outerDims;
  cut[outermost] /= chunks;
  cut.insert(cut.begin() + outermost, chunks);
  for (int64_t dim : dims)
    firstDims.push_back(dim + (dim >= outermost));
  Value parts = b.create<ReshapeOp>(loc, RankedTensorType::get(cut, elementType(reduce.getX())),
                                    reduce.getX());
  Value partial = b.create<Op>(loc, parts, b.getDenseI64ArrayAttr(firstDims));
  int64_t position = 0; // of the chunks among the kept dimensions
  for (int64_t i = 0; i < outermost; ++i)
    position += !llvm::is_contained(dims, i);
  Value whole = b.create<Op>(loc, partial, b.getDenseI64ArrayAttr({position}));
  reduce.replaceAllUsesWith(whole);
  reduce.erase();
  return true;
}

struct SplitReductionsPass : PassWrapper<SplitReductionsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitReductionsPass)
  llvm::StringRef getArgument() const final { return "raf-split-reductions"; }
  llvm::StringRef getDescription() const final {
    return "split long reductions into partial ones over chunks that depend on shapes only";
  }
  void runOnOperation() override { splitReductions(getOperation()); }
};

} // namespace

void splitReductions(func::FuncOp function) {
  // Partial reductions are new ops before the walk's place, so none is looked at twice.
  llvm::SmallVector<Operation *> reductions;
  function.walk([&](Operation *op) {
    if (isa<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp>(op))
      reductions.push_back(op);
  });
  for (Operation *op : reductions) {
    if (auto sum = dyn_cast<ReduceSumOp>(op))
      split(sum);
    else if (auto max = dyn_cast<ReduceMaxOp>(op))
      split(max);
    else if (auto min = dyn_cast<ReduceMinOp>(op))
      split(min);
    else
      split(cast<ReduceProdOp>(op));
  }
}

void registerSplitReductionsPass() { PassRegistration<SplitReductionsPass>(); }

} // namespace raf::gen
