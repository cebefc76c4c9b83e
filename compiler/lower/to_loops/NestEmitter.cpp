// The loops of a nest. Its values are in NestValues.cpp.
#include "compiler/lower/to_loops/NestEmitter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Intrinsics.h"

namespace raf::gen {

using llvm::Value;

void NestEmitter::emit() {
  cache.resize(nest.nodes.size());
  inScratch.resize(nest.nodes.size());
  index.assign(nest.extents.size(), nullptr);
  parts = 1;
  // What is the same for every item comes first.
  for (unsigned i = 0; i < nest.nodes.size(); ++i)
    if (const Node &node = nest.nodes[i];
        node.axes == 0 && node.level == 0 && node.kind != Node::Reduce)
      eval(i, 0);
  k.loop(k.begin, k.end, k.i64(1), [&](Value *item) { emitItem(item); });
  k.finish();
}

void NestEmitter::emitItem(Value *item) {
  Cache outside = cache;
  Value *rest = item, *chunk = nullptr;
  auto takeLast = [&](Value *extent) {
    Value *last = ir.CreateURem(rest, extent);
    rest = ir.CreateUDiv(rest, extent);
    return last;
  };
  const bool chunked = nest.vectorAxis >= 0 && !nest.vectorInner();
  if (chunked)
    chunk = nest.parallel == 1 ? rest : takeLast(k.params[nest.chunksParam]);
  unsigned left = nest.parallel - chunked;
  for (int axis = static_cast<int>(nest.parallel) - 1; axis >= 0; --axis) {
    if (chunked && axis == nest.vectorAxis)
      continue;
    index[axis] = --left == 0 ? rest : takeLast(k.params[axis]);
  }
  if (!chunked) {
    emitLevels();
  } else {
    Value *low = ir.CreateMul(chunk, k.params[nest.chunkParam]);
    Value *high = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                           ir.CreateAdd(low, k.params[nest.chunkParam]),
                                           k.params[nest.vectorAxis]);
    for (unsigned i = 0; i < nest.nodes.size(); ++i)
      if (const Node &node = nest.nodes[i];
          uniform(node) && !nest.isInner(node.axes) && node.level == 0 && node.kind != Node::Reduce)
        eval(i, 0);
    emitTiles(low, high, [&] { emitLevels(); });
  }
  cache = std::move(outside);
}

Value *NestEmitter::fullTiles(Value *low, Value *high) {
  const int64_t tile = int64_t{nest.unroll} * lanes;
  return ir.CreateAdd(low, ir.CreateAnd(ir.CreateSub(high, low), k.i64(-tile)));
}

Value *NestEmitter::tailMask(Value *rest) {
  llvm::SmallVector<uint32_t> ids(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane)
    ids[lane] = lane;
  Value *count = b.splat(ir.CreateTrunc(rest, ir.getInt32Ty()), lanes);
  return ir.CreateICmpULT(llvm::ConstantDataVector::get(ir.getContext(), ids), count);
}

// Whole tiles, then single masked vectors.
void NestEmitter::emitTiles(Value *low, Value *high, llvm::function_ref<void()> body) {
  Value *full = fullTiles(low, high);
  auto at = [&](Value *i, unsigned count, Value *tileMask) {
    Cache outside = cache;
    index[nest.vectorAxis] = i;
    parts = count;
    mask = tileMask;
    body();
    parts = 1;
    mask = nullptr;
    cache = std::move(outside);
  };
  k.loop(low, full, k.i64(int64_t{nest.unroll} * lanes),
         [&](Value *i) { at(i, nest.unroll, nullptr); });
  k.loop(full, high, k.i64(lanes), [&](Value *i) { at(i, 1, tailMask(ir.CreateSub(high, i))); });
}

void NestEmitter::emitLevels() {
  std::fill(inScratch.begin(), inScratch.end(), false);
  int last = nest.levels;
  for (const Store &s : nest.stores)
    last = std::max(last, s.level);
  for (int level = 0; level <= last; ++level) {
    emitRowPhase(level);
    if (level < nest.levels)
      emitSweep(level);
  }
}

// Values and results that do not vary over the inner axes. A part's values are all computed before
// any of its results is stored: a result may lie over an operand.
void NestEmitter::emitRowPhase(int level) {
  const unsigned count = nest.vectorInner() ? 1 : parts;
  for (unsigned part = 0; part < count; ++part) {
    for (unsigned i = 0; i < nest.nodes.size(); ++i)
      if (const Node &node = nest.nodes[i];
          !nest.isInner(node.axes) && node.level == level && node.kind != Node::Reduce)
        eval(i, part);
    for (const Store &s : nest.stores)
      if (!nest.isInner(s.axes) && s.level == level)
        store(s, part);
  }
}

llvm::SmallVector<unsigned> NestEmitter::reductionsOf(int level) const {
  llvm::SmallVector<unsigned> found;
  for (auto [i, node] : llvm::enumerate(nest.nodes))
    if (node.kind == Node::Reduce && node.level == level + 1)
      found.push_back(i);
  return found;
}

llvm::SmallVector<unsigned> NestEmitter::neededIn(int level) const {
  llvm::SmallVector<bool> seen(nest.nodes.size());
  for (unsigned r : reductionsOf(level))
    seen[nest.nodes[r].operands[0]] = true;
  for (const Store &s : nest.stores)
    if (nest.isInner(s.axes) && s.level == level)
      seen[s.node] = true;
  llvm::SmallVector<unsigned> needed;
  for (int i = static_cast<int>(nest.nodes.size()) - 1; i >= 0; --i) {
    const Node &node = nest.nodes[i];
    if (!seen[i] || !nest.isInner(node.axes))
      continue;
    needed.push_back(i);
    if (!inScratch[i])
      for (unsigned operand : node.operands)
        seen[operand] = true;
  }
  std::reverse(needed.begin(), needed.end());
  return needed;
}

unsigned NestEmitter::partsOf(const Node &reduce) const {
  if (nest.vectorInner())
    return nest.unroll;
  return uniform(nest.nodes[reduce.operands[0]]) ? 1 : parts;
}

void NestEmitter::emitSweep(int level) {
  sweep = level;
  llvm::SmallVector<unsigned> reductions = reductionsOf(level);
  Values accumulators;
  for (unsigned r : reductions) {
    const Node &node = nest.nodes[r];
    llvm::Type *type = b.computeType(nest.nodes[node.operands[0]].type);
    const bool vectors = nest.vectorInner() || !uniform(nest.nodes[node.operands[0]]);
    if (vectors)
      type = llvm::FixedVectorType::get(type, lanes);
    accumulators.append(partsOf(node), identity(node, type));
  }
  accumulators = sweepLoops(nest.parallel, std::move(accumulators));
  for (unsigned i : neededIn(level))
    if (nest.nodes[i].saved)
      inScratch[i] = true;
  llvm::ArrayRef<Value *> rest = accumulators;
  for (unsigned r : reductions) {
    const Node &node = nest.nodes[r];
    const unsigned count = partsOf(node);
    Values result(rest.take_front(count));
    rest = rest.drop_front(count);
    if (nest.vectorInner())
      result = {acrossLanes(node, result)};
    for (Value *&v : result)
      v = b.round(v, node.type);
    cache[r] = std::move(result);
  }
}

NestEmitter::Values NestEmitter::sweepLoops(unsigned axis, Values accumulators) {
  if (axis == nest.extents.size())
    return sweepBody(accumulators);
  Value *zero = k.i64(0), *extent = k.params[axis];
  Cache outside = cache;
  if (static_cast<int>(axis) != nest.vectorAxis) {
    Values results = k.loop(zero, extent, k.i64(1), accumulators,
                            [&](Value *i, llvm::ArrayRef<Value *> carried) {
                              index[axis] = i;
                              evalAtDepth(axis);
                              Values next = sweepLoops(axis + 1, Values(carried));
                              cache = outside;
                              return next;
                            });
    return results;
  }

  Value *full = fullTiles(zero, extent);
  const int64_t tile = int64_t{nest.unroll} * lanes;
  accumulators =
      k.loop(zero, full, k.i64(tile), accumulators, [&](Value *i, llvm::ArrayRef<Value *> carried) {
        index[axis] = i;
        parts = nest.unroll;
        Values next = sweepBody(Values(carried));
        cache = outside;
        return next;
      });
  // The tail goes into the first accumulators.
  Values firsts;
  for (unsigned i = 0; i < accumulators.size(); i += nest.unroll)
    firsts.push_back(accumulators[i]);
  firsts =
      k.loop(full, extent, k.i64(lanes), firsts, [&](Value *i, llvm::ArrayRef<Value *> carried) {
        index[axis] = i;
        parts = 1;
        mask = tailMask(ir.CreateSub(extent, i));
        Values next = sweepBody(Values(carried));
        mask = nullptr;
        cache = outside;
        return next;
      });
  parts = 1;
  for (auto [i, first] : llvm::enumerate(firsts))
    accumulators[i * nest.unroll] = first;
  return accumulators;
}

void NestEmitter::evalAtDepth(unsigned axis) {
  for (unsigned i : neededIn(sweep)) {
    const AxisMask inner = nest.nodes[i].axes >> (axis + 1);
    const bool here = nest.nodes[i].axes >> axis & 1;
    if (here && inner == 0 && uniform(nest.nodes[i]) && nest.nodes[i].level <= sweep)
      eval(i, 0);
  }
}

NestEmitter::Values NestEmitter::sweepBody(const Values &accumulators) {
  llvm::SmallVector<unsigned> reductions = reductionsOf(sweep);
  Values next = accumulators;
  for (unsigned part = 0; part < parts; ++part) {
    unsigned at = 0;
    for (unsigned r : reductions) {
      const Node &node = nest.nodes[r];
      const unsigned operand = node.operands[0];
      // Rows: one accumulator per part, one only in the tail. Columns: as many as the value has.
      const unsigned count = nest.vectorInner() ? parts : partsOf(node);
      if (part < count) {
        const bool vectors = nest.vectorInner() || !uniform(nest.nodes[operand]);
        Value *x = vectors ? vectorOf(operand, part) : eval(operand, part);
        Value *sum = combine(node, next[at + part], x);
        // Lanes beyond the end of a column belong to nobody.
        next[at + part] =
            mask && nest.vectorInner() ? ir.CreateSelect(mask, sum, next[at + part]) : sum;
      }
      at += count;
    }
    for (const Store &s : nest.stores)
      if (nest.isInner(s.axes) && s.level == sweep)
        nest.onVector(s.axes) ? (void)vectorOf(s.node, part) : (void)eval(s.node, part);
    for (const Store &s : nest.stores)
      if (nest.isInner(s.axes) && s.level == sweep)
        store(s, part);
  }
  return next;
}

} // namespace raf::gen
