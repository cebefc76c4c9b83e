// Sums at computed indices: embedding_grad, put_add, scatter_add. Every element of the result
// belongs to one work item, which adds its duplicates in row-major order of the indices.
#include "compiler/ir/Views.h"
#include "compiler/lower/to_loops/Lines.h"

#include "llvm/IR/Intrinsics.h"

using namespace mlir;

namespace raf::gen {

namespace {

using Value = llvm::Value;
using Index = llvm::SmallVector<llvm::Value *>;

struct ScatterPlan {
  Type element, indexElement;
  int base = -1, indices = 0, updates = 0; // operands; no base: zeros
  // result[outer..., row, inner...]
  llvm::SmallVector<int> outer, inner, at; // extents of them and of the indices, as parameters
  int rows = 0, rowsPerItem = 0, rowItems = 0, padding = -1;
  StridesPlan baseStrides, indexStrides, updateStrides, resultStrides;
  bool vectors = false; // the innermost dimension lies side by side in every operand
  unsigned lanes = 0;
  bool hasPadding = false;
  // scatter_add: `inner` and `outer` are one list of lines; extents that the indices have of them
  llvm::SmallVector<int> lineLimits;
  int dim = 0;
};

class ScatterEmitter {
public:
  ScatterEmitter(const ScatterPlan &plan, KernelFunction &kernel)
      : p(plan), k(kernel), b(kernel.b), ir(kernel.ir), memory(b.memoryType(p.element)) {}

  void emitRows() {
    k.loop(k.begin, k.end, k.i64(1), [&](Value *item) { emitRowItem(item); });
    k.finish();
  }

  void emitLines() {
    k.loop(k.begin, k.end, k.i64(1), [&](Value *item) { emitLine(item); });
    k.finish();
  }

private:
  Value *result() { return k.operands.back(); }

  Value *sum(Value *x, Value *y) {
    Value *s = x->getType()->isFPOrFPVectorTy() ? ir.CreateFAdd(x, y) : ir.CreateAdd(x, y);
    return b.round(s, p.element);
  }

  Value *loadIndex(Value *offset) {
    llvm::Type *type = b.memoryType(p.indexElement);
    Value *address = ir.CreateGEP(type, k.operands[p.indices], offset);
    return ir.CreateSExt(ir.CreateLoad(type, address), ir.getInt64Ty());
  }

  /// Calls `body` with offsets into result and another operand for each inner place; as vectors
  /// where that is possible.
  void forInner(Value *to, Value *from, const StridesPlan &toStrides, unsigned toFirst,
                const StridesPlan &fromStrides, unsigned fromFirst,
                llvm::function_ref<void(Value *, Value *, bool, Value *)> body) {
    llvm::ArrayRef<int> loops = p.inner;
    if (p.vectors)
      loops = loops.drop_back();
    forEach(k, loops, [&](llvm::ArrayRef<Value *> index) {
      Value *t = to, *f = from;
      for (auto [i, at] : llvm::enumerate(index)) {
        t = ir.CreateAdd(t, ir.CreateMul(at, k.params[toStrides.first + toFirst + i]));
        f = ir.CreateAdd(f, ir.CreateMul(at, k.params[fromStrides.first + fromFirst + i]));
      }
      if (!p.vectors)
        return body(t, f, false, nullptr);
      Value *extent = k.params[p.inner.back()];
      Value *whole = ir.CreateAnd(extent, k.i64(-int64_t{p.lanes}));
      k.loop(k.i64(0), whole, k.i64(p.lanes),
             [&](Value *i) { body(ir.CreateAdd(t, i), ir.CreateAdd(f, i), true, nullptr); });
      k.loop(whole, extent, k.i64(p.lanes), [&](Value *i) {
        body(ir.CreateAdd(t, i), ir.CreateAdd(f, i), true,
             laneMask(k, ir.CreateSub(extent, i), p.lanes));
      });
    });
  }

  Value *load(Value *base, Value *offset, bool vector, Value *mask) {
    Value *address = ir.CreateGEP(memory, base, offset);
    return b.fromMemory(vector ? k.loadVector(memory, address, p.lanes, mask)
                               : ir.CreateLoad(memory, address),
                        p.element);
  }
  void store(Value *v, Value *offset, bool vector, Value *mask) {
    Value *address = ir.CreateGEP(memory, result(), offset);
    v = b.toMemory(v, p.element);
    if (vector)
      k.storeVector(v, address, mask);
    else
      ir.CreateStore(v, address);
  }

  // item = (outer..., range of rows)
  void emitRowItem(Value *item) {
    Value *range = ir.CreateURem(item, k.params[p.rowItems]);
    Index outer = unravel(k, ir.CreateUDiv(item, k.params[p.rowItems]), p.outer);
    Value *low = ir.CreateMul(range, k.params[p.rowsPerItem]);
    Value *high = ir.CreateBinaryIntrinsic(
        llvm::Intrinsic::smin, ir.CreateAdd(low, k.params[p.rowsPerItem]), k.params[p.rows]);
    const unsigned rowDim = p.outer.size();
    Value *resultStart = offsetOf(k, p.resultStrides, outer);
    Value *resultRow = k.params[p.resultStrides.first + rowDim];
    k.loop(low, high, k.i64(1), [&](Value *row) {
      Value *to = ir.CreateAdd(resultStart, ir.CreateMul(row, resultRow));
      Value *from = k.i64(0);
      if (p.base >= 0)
        from = ir.CreateAdd(offsetOf(k, p.baseStrides, outer),
                            ir.CreateMul(row, k.params[p.baseStrides.first + rowDim]));
      const StridesPlan &fromStrides = p.base >= 0 ? p.baseStrides : p.resultStrides;
      forInner(to, from, p.resultStrides, rowDim + 1, fromStrides, rowDim + 1,
               [&](Value *t, Value *f, bool vector, Value *mask) {
                 if (p.base >= 0)
                   return store(load(k.operands[p.base], f, vector, mask), t, vector, mask);
                 llvm::Type *type = b.computeType(p.element);
                 if (vector)
                   type = llvm::FixedVectorType::get(type, p.lanes);
                 store(llvm::Constant::getNullValue(type), t, vector, mask);
               });
    });
    Value *updatesStart = offsetOf(k, p.updateStrides, outer);
    forEach(k, p.at, [&](llvm::ArrayRef<Value *> at) {
      Value *row = loadIndex(offsetOf(k, p.indexStrides, at));
      Value *mine = ir.CreateAnd(ir.CreateICmpSGE(row, low), ir.CreateICmpSLT(row, high));
      if (p.hasPadding)
        mine = ir.CreateAnd(mine, ir.CreateICmpNE(row, k.params[p.padding]));
      k.when(mine, [&] {
        Value *to = ir.CreateAdd(resultStart, ir.CreateMul(row, resultRow));
        Value *from = updatesStart;
        for (auto [i, index] : llvm::enumerate(at))
          from =
              ir.CreateAdd(from, ir.CreateMul(index, k.params[p.updateStrides.first + rowDim + i]));
        forInner(to, from, p.resultStrides, rowDim + 1, p.updateStrides, rowDim + p.at.size(),
                 [&](Value *t, Value *f, bool vector, Value *mask) {
                   Value *old = load(result(), t, vector, mask);
                   store(sum(old, load(k.operands[p.updates], f, vector, mask)), t, vector, mask);
                 });
      });
    });
  }

  // A line of the result along `dim`: copied, then summed into.
  void emitLine(Value *item) {
    Index index = unravel(k, item, p.outer);
    index.insert(index.begin() + p.dim, k.i64(0));
    Value *to = offsetOf(k, p.resultStrides, index);
    Value *from = offsetOf(k, p.baseStrides, index);
    Value *toStep = k.params[p.resultStrides.first + p.dim];
    k.loop(k.i64(0), k.params[p.rows], k.i64(1), [&](Value *i) {
      Value *v = load(k.operands[p.base],
                      ir.CreateAdd(from, ir.CreateMul(i, k.params[p.baseStrides.first + p.dim])),
                      false, nullptr);
      store(v, ir.CreateAdd(to, ir.CreateMul(i, toStep)), false, nullptr);
    });
    Value *inside = ir.getTrue();
    for (auto [i, limit] : llvm::enumerate(p.lineLimits))
      if (static_cast<int>(i) != p.dim)
        inside = ir.CreateAnd(inside, ir.CreateICmpSLT(index[i], k.params[limit]));
    k.when(inside, [&] {
      Value *atIndex = offsetOf(k, p.indexStrides, index);
      Value *atUpdate = offsetOf(k, p.updateStrides, index);
      k.loop(k.i64(0), k.params[p.lineLimits[p.dim]], k.i64(1), [&](Value *i) {
        Value *row = loadIndex(
            ir.CreateAdd(atIndex, ir.CreateMul(i, k.params[p.indexStrides.first + p.dim])));
        Value *legal =
            ir.CreateAnd(ir.CreateICmpSGE(row, k.i64(0)), ir.CreateICmpSLT(row, k.params[p.rows]));
        k.when(legal, [&] {
          Value *t = ir.CreateAdd(to, ir.CreateMul(row, toStep));
          Value *f =
              ir.CreateAdd(atUpdate, ir.CreateMul(i, k.params[p.updateStrides.first + p.dim]));
          Value *old = load(result(), t, false, nullptr);
          store(sum(old, load(k.operands[p.updates], f, false, nullptr)), t, false, nullptr);
        });
      });
    });
  }

  const ScatterPlan &p;
  KernelFunction &k;
  BodyBuilder &b;
  llvm::IRBuilder<> &ir;
  llvm::Type *memory;
};

} // namespace

std::optional<KernelPlan> planScatter(Operation *op, const PlanContext &context) {
  KernelPlan plan;
  ScatterPlan p;
  p.element = elementType(op->getResult(0));
  p.lanes = context.lanes;
  llvm::ArrayRef<int64_t> result = shapeOf(op->getResult(0));
  mlir::Value base, indices, updates;
  int64_t dim = 0;
  if (auto grad = dyn_cast<EmbeddingGradOp>(op)) {
    indices = grad.getIds();
    updates = grad.getGrad();
    if (grad.getPaddingIdx()) {
      p.hasPadding = true;
      p.padding = plan.param(*grad.getPaddingIdx());
    }
  } else if (auto put = dyn_cast<PutAddOp>(op)) {
    base = put.getBase();
    indices = put.getIndices();
    updates = put.getUpdates();
    dim = put.getDim();
  } else {
    auto scatter = cast<ScatterAddOp>(op);
    base = scatter.getBase();
    indices = scatter.getIndices();
    updates = scatter.getUpdates();
    dim = scatter.getDim();
  }
  const bool lines = isa<ScatterAddOp>(op);
  if (base)
    p.base = context.input(base);
  p.indices = context.input(indices);
  p.updates = context.input(updates);
  p.indexElement = elementType(indices);
  const auto resultStrides = contiguousStrides(result);
  if (base)
    p.baseStrides = addStrides(plan, context.stridesOf(base));
  p.indexStrides = addStrides(plan, context.stridesOf(indices));
  p.updateStrides = addStrides(plan, context.stridesOf(updates));
  p.resultStrides = addStrides(plan, resultStrides);
  p.rows = plan.param(result[dim]);
  p.dim = dim;
  int64_t outer = 1, inner = 1;
  for (auto [i, extent] : llvm::enumerate(result)) {
    if (static_cast<int64_t>(i) == dim)
      continue;
    const bool isOuter = lines || static_cast<int64_t>(i) < dim;
    (isOuter ? p.outer : p.inner).push_back(plan.param(extent));
    (isOuter ? outer : inner) *= extent;
  }
  llvm::raw_string_ostream os(plan.structure);
  os << op->getName() << " " << p.element << " " << p.indexElement << " operands " << p.base << " "
     << p.indices << " " << p.updates << " of " << context.group.inputs.size() << " dim " << dim
     << " rank " << result.size();
  if (lines) {
    for (int64_t extent : shapeOf(indices))
      p.lineLimits.push_back(plan.param(extent));
    plan.work = outer;
    plan.grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, result[dim]));
    plan.emit = [p](KernelFunction &function) { ScatterEmitter(p, function).emitLines(); };
    return plan;
  }

  int64_t places = 1;
  for (int64_t extent : shapeOf(indices)) {
    p.at.push_back(plan.param(extent));
    places *= extent;
  }
  auto isUnit = [&](mlir::Value v) { return context.stridesOf(v).back() == 1; };
  p.vectors = !p.inner.empty() && isUnit(updates) && (!base || isUnit(base));
  // Each item looks at every index, so there are not too many of them.
  const int64_t rows = result[dim];
  const int64_t most = std::max<int64_t>(1, 64 / std::max<int64_t>(1, outer));
  const int64_t share = llvm::divideCeil(rows, most);
  const int64_t worthIt = std::min<int64_t>(rows, 16384 / std::max<int64_t>(1, inner));
  const int64_t perItem = std::max({int64_t{1}, share, worthIt});
  p.rowsPerItem = plan.param(perItem);
  const int64_t rowItems = llvm::divideCeil(rows, perItem);
  p.rowItems = plan.param(rowItems);
  plan.work = outer * rowItems;
  plan.grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, perItem * inner + places));
  os << " at " << p.at.size() << (p.vectors ? " vectors" : "") << (p.hasPadding ? " padding" : "");
  plan.emit = [p](KernelFunction &function) { ScatterEmitter(p, function).emitRows(); };
  return plan;
}

} // namespace raf::gen
