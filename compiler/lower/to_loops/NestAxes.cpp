// Choice of the axes of a nest, their merging, the sweeps over them, and the parameters.
#include "compiler/ir/Views.h"
#include "compiler/lower/to_loops/NestBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace raf::gen {

namespace {

bool sameSet(llvm::ArrayRef<int> a, llvm::ArrayRef<int> b) {
  return a.size() == b.size() && llvm::all_of(a, [&](int x) { return llvm::is_contained(b, x); });
}

bool hasDuplicates(llvm::ArrayRef<int> atoms) {
  for (size_t i = 0; i < atoms.size(); ++i)
    if (llvm::is_contained(atoms.drop_front(i + 1), atoms[i]))
      return true;
  return false;
}

} // namespace

FactorList NestBuilder::atomsOf(const Dims &dims) {
  FactorList list;
  for (const FactorList &dim : dims)
    list.append(dim);
  return factors.atoms(list);
}

// Reductions, and outputs, that no op relates but that have the same extents share their loops.
bool NestBuilder::relateLoops() {
  auto elements = [&](llvm::ArrayRef<int> atoms) {
    int64_t count = 1;
    for (int atom : atoms)
      count *= factors.extent(atom);
    return count;
  };
  for (Reduction &reduction : llvm::MutableArrayRef(reductions).drop_front(!reductions.empty())) {
    FactorList first = factors.atoms(reductions.front().reduced);
    FactorList other = factors.atoms(reduction.reduced);
    if (sameSet(first, other))
      continue;
    if (elements(first) != elements(other) || !factors.unify(first, other))
      return fail("its reductions run over different dimensions");
  }
  if (!uniteOutputs)
    return true;
  for (Info &output : outputs) {
    FactorList first = atomsOf(outputs.front().dims), other = atomsOf(output.dims);
    if (!sameSet(first, other) && elements(first) == elements(other) &&
        !factors.unify(first, other))
      return fail("its outputs have dimensions that do not align");
  }
  return true;
}

bool NestBuilder::chooseAxes(Nest &nest) {
  FactorList reduced;
  if (!reductions.empty())
    reduced = factors.atoms(reductions.front().reduced);
  for (Reduction &reduction : reductions) {
    if (!sameSet(reduced, factors.atoms(reduction.reduced)))
      return fail("its reductions run over different dimensions");
    if (hasDuplicates(atomsOf(reduction.dims)))
      return fail("a value is needed at two places in one iteration");
  }

  // The order of loops is that of the first reduction's operand, then of the largest output.
  FactorList all;
  auto add = [&](llvm::ArrayRef<int> atoms) {
    for (int atom : atoms)
      if (!llvm::is_contained(all, atom))
        all.push_back(atom);
  };
  const Info *main = nullptr;
  size_t most = 0;
  for (const Info &output : outputs)
    if (size_t count = atomsOf(output.dims).size(); !main || count > most) {
      main = &output;
      most = count;
    }
  for (Reduction &reduction : reductions) {
    most = std::max(most, atomsOf(reduction.dims).size());
    add(atomsOf(reduction.dims));
  }
  add(atomsOf(main->dims));
  for (const Info &output : outputs) {
    FactorList atoms = atomsOf(output.dims);
    if (hasDuplicates(atoms))
      return fail("a value is needed at two places in one iteration");
    add(atoms);
  }
  if (all.size() != most)
    return fail("no value of it varies over all of its dimensions");

  for (int atom : all)
    if (!llvm::is_contained(reduced, atom))
      axes.push_back(atom);
  numParallel = axes.size();
  for (int atom : all)
    if (llvm::is_contained(reduced, atom))
      axes.push_back(atom);
  const auto isEmpty = [&](llvm::ArrayRef<int> atoms) {
    return llvm::any_of(atoms, [&](int atom) { return factors.extent(atom) == 0; });
  };
  // Where there is no work item nothing would be stored.
  if (isEmpty(llvm::ArrayRef(axes).take_front(numParallel)) &&
      !llvm::all_of(outputs, [&](const Info &o) { return isEmpty(atomsOf(o.dims)); }))
    return fail("some of its outputs are empty and others are not");
  if (axes.size() > 16)
    return fail("it has more than 16 loops");

  nest.parallel = numParallel;
  for (int atom : axes)
    nest.extents.push_back(factors.extent(atom));
  if (axes.empty())
    return true;
  // Vectors lie along the innermost dimension of that operand or output.
  FactorList order = atomsOf(!reductions.empty() ? reductions.front().dims : main->dims);
  nest.vectorAxis = llvm::find(axes, order.back()) - axes.begin();
  if (!reductions.empty())
    nest.kind = nest.vectorInner() ? NestKind::Row : NestKind::Column;
  return true;
}

llvm::SmallVector<int64_t> NestBuilder::stridesOf(const Terms &dims) {
  llvm::SmallVector<int64_t> strides(axes.size(), 0);
  for (const auto &[list, dimStride] : dims) {
    int64_t stride = dimStride;
    const FactorList atoms = factors.atoms(list);
    for (int atom : llvm::reverse(atoms)) {
      if (auto *axis = llvm::find(axes, atom); axis != axes.end())
        strides[axis - axes.begin()] += stride;
      stride *= factors.extent(atom);
    }
  }
  return strides;
}

void NestBuilder::resolve(Nest &nest) {
  for (auto [node, dims] : llvm::zip(nodes, terms))
    node.strides = stridesOf(dims);
  for (auto &[node, guards] : guardTerms)
    for (auto [guard, dims] : llvm::zip(nodes[node].guards, guards))
      guard.strides = stridesOf(dims);
  nest.nodes = std::move(nodes);
  for (auto [i, output] : llvm::enumerate(outputs)) {
    Store store;
    store.result = i;
    store.node = output.node;
    Terms place;
    for (auto [dim, stride] : llvm::zip(output.dims, contiguousStrides(shapeOf(group.outputs[i]))))
      place.push_back({dim, stride});
    store.strides = stridesOf(place);
    for (int atom : atomsOf(output.dims))
      store.axes |= AxisMask{1} << (llvm::find(axes, atom) - axes.begin());
    nest.stores.push_back(std::move(store));
  }
}

// Drops nodes that no store needs; what stays keeps its order.
void NestBuilder::markLive(Nest &nest) {
  for (Store &store : nest.stores)
    nest.nodes[store.node].live = true;
  for (Node &node : llvm::reverse(nest.nodes))
    if (node.live)
      for (unsigned operand : node.operands)
        nest.nodes[operand].live = true;
  std::vector<Node> kept;
  llvm::SmallVector<unsigned> number(nest.nodes.size());
  for (auto [i, node] : llvm::enumerate(nest.nodes)) {
    if (!node.live)
      continue;
    number[i] = kept.size();
    for (unsigned &operand : node.operands)
      operand = number[operand];
    kept.push_back(std::move(node));
  }
  for (Store &store : nest.stores)
    store.node = number[store.node];
  nest.nodes = std::move(kept);
}

// Two neighbouring axes become one where everything walks over both without a gap.
void NestBuilder::merge(Nest &nest) {
  auto walksOn = [&](const llvm::SmallVector<int64_t> &strides, unsigned axis) {
    return strides.empty() || strides[axis] == strides[axis + 1] * nest.extents[axis + 1];
  };
  for (int axis = static_cast<int>(nest.extents.size()) - 2; axis >= 0; --axis) {
    if (axis + 1 == static_cast<int>(nest.parallel))
      continue;
    // Vectors stay on the innermost of the axes that merge.
    if (nest.vectorAxis == axis)
      continue;
    auto guardsWalkOn = [&](Node &n) {
      return llvm::all_of(n.guards, [&](Node::Guard &g) { return walksOn(g.strides, axis); });
    };
    if (!llvm::all_of(nest.nodes,
                      [&](Node &n) { return walksOn(n.strides, axis) && guardsWalkOn(n); }) ||
        !llvm::all_of(nest.stores, [&](Store &s) { return walksOn(s.strides, axis); }))
      continue;
    nest.extents[axis] *= nest.extents[axis + 1];
    nest.extents.erase(nest.extents.begin() + axis + 1);
    auto drop = [&](llvm::SmallVector<int64_t> &strides) {
      if (!strides.empty())
        strides.erase(strides.begin() + axis);
    };
    for (Node &node : nest.nodes) {
      drop(node.strides);
      for (Node::Guard &guard : node.guards)
        drop(guard.strides);
    }
    for (Store &store : nest.stores) {
      drop(store.strides);
      const AxisMask low = (AxisMask{1} << (axis + 1)) - 1;
      store.axes = (store.axes & low) | (store.axes >> 1 & ~low);
    }
    nest.parallel -= axis < static_cast<int>(nest.parallel);
    nest.vectorAxis -= axis < nest.vectorAxis;
  }
}

void NestBuilder::assignLevels(Nest &nest) {
  const AxisMask innerMask = ~((AxisMask{1} << nest.parallel) - 1);
  nest.levels = 0;
  for (Node &node : nest.nodes) {
    for (auto [axis, stride] : llvm::enumerate(node.strides))
      if (stride != 0)
        node.axes |= AxisMask{1} << axis;
    for (const Node::Guard &guard : node.guards)
      for (auto [axis, stride] : llvm::enumerate(guard.strides))
        if (stride != 0)
          node.axes |= AxisMask{1} << axis;
    for (unsigned operand : node.operands) {
      node.axes |= nest.nodes[operand].axes;
      node.level = std::max(node.level, nest.nodes[operand].level);
    }
    if (node.kind == Node::Reduce) {
      node.axes &= ~innerMask;
      ++node.level;
      nest.levels = std::max(nest.levels, node.level);
    }
    if (node.kind == Node::Random) {
      node.aligned = true;
      for (auto [axis, stride] : llvm::enumerate(node.strides))
        if (static_cast<int>(axis) == nest.vectorAxis ? stride != 1 : stride % 4 != 0)
          node.aligned = false;
    }
  }
  for (Store &store : nest.stores) {
    store.level = nest.nodes[store.node].level;
    if (nest.isInner(store.axes))
      nest.levels = std::max(nest.levels, store.level + 1);
  }
}

// A later sweep computes cheap values again; expensive ones are read back from scratch.
void NestBuilder::chooseSaved(Nest &nest, int lanes) {
  llvm::SmallVector<int> firstSweep(nest.nodes.size(), -1);
  for (int sweep = 0; sweep < nest.levels; ++sweep) {
    llvm::SmallVector<unsigned> stack;
    llvm::SmallVector<bool> seen(nest.nodes.size());
    for (Node &node : nest.nodes)
      if (node.kind == Node::Reduce && nest.nodes[node.operands[0]].level == sweep)
        stack.push_back(node.operands[0]);
    for (Store &store : nest.stores)
      if (nest.isInner(store.axes) && store.level == sweep)
        stack.push_back(store.node);
    while (!stack.empty()) {
      unsigned i = stack.pop_back_val();
      Node &node = nest.nodes[i];
      if (seen[i] || !nest.isInner(node.axes))
        continue;
      seen[i] = true;
      if (firstSweep[i] >= 0 && firstSweep[i] != sweep && node.expensive &&
          nest.onVector(node.axes)) {
        node.saved = true;
        continue;
      }
      if (firstSweep[i] < 0)
        firstSweep[i] = sweep;
      llvm::append_range(stack, node.operands);
    }
  }
}

void NestBuilder::assignParams(Nest &nest) {
  auto param = [&](int64_t value) {
    nest.params.push_back(value);
    return static_cast<int>(nest.params.size()) - 1;
  };
  auto strideParams = [&](const llvm::SmallVector<int64_t> &strides) {
    llvm::SmallVector<int> numbers(strides.size(), -1);
    for (auto [axis, stride] : llvm::enumerate(strides))
      if (stride != 0 && !(static_cast<int>(axis) == nest.vectorAxis && stride == 1))
        numbers[axis] = param(stride);
    return numbers;
  };
  for (int64_t extent : nest.extents)
    param(extent);
  for (Node &node : nest.nodes) {
    node.strideParams = strideParams(node.strides);
    if (node.offset != 0)
      node.offsetParam = param(node.offset);
    for (Node::Guard &guard : node.guards) {
      guard.strideParams = strideParams(guard.strides);
      guard.lowParam = param(guard.low);
      guard.lengthParam = param(guard.length);
    }
    if (node.kind == Node::Constant) {
      const bool isFloat = isa<FloatType>(node.type);
      if (isFloat ? node.number != 0 && node.number != 1 : node.integer != 0 && node.integer != 1)
        node.constantParam = param(isFloat ? llvm::bit_cast<int64_t>(node.number) : node.integer);
    } else if (node.kind == Node::Random) {
      node.constantParam = param(node.integer);
    } else if (node.kind == Node::Gather) {
      node.gatherStride = param(inputStrides[node.input][node.integer]);
      node.gatherExtent = param(shapeOf(group.inputs[node.input])[node.integer]);
    }
  }
  for (Store &store : nest.stores)
    store.strideParams = strideParams(store.strides);
}

void NestBuilder::chooseWork(Nest &nest, int lanes) {
  int64_t outer = 1, inner = 1;
  for (auto [axis, extent] : llvm::enumerate(nest.extents))
    if (static_cast<int>(axis) != nest.vectorAxis || nest.vectorInner())
      (axis < nest.parallel ? outer : inner) *= extent;
  const bool hasExpensive = llvm::any_of(nest.nodes, [](Node &n) { return n.expensive; });
  // Reductions along vectors have this many accumulators whatever surrounds them.
  nest.unroll = nest.vectorAxis < 0                                  ? 1
                : nest.kind == NestKind::Elementwise && hasExpensive ? 2
                                                                     : 4;
  const int64_t tile = int64_t{nest.unroll} * lanes;

  int64_t perItem = inner;
  nest.work = outer;
  if (nest.vectorAxis >= 0 && !nest.vectorInner()) {
    const int64_t extent = nest.extents[nest.vectorAxis];
    int64_t chunk = std::max<int64_t>(tile, 8192 / std::max<int64_t>(inner, 1));
    if (outer >= 256)
      chunk = std::max<int64_t>(chunk, 65536 / std::max<int64_t>(inner, 1));
    chunk = llvm::alignTo(std::min(chunk, std::max<int64_t>(extent, 1)), tile);
    const int64_t chunks = llvm::divideCeil(extent, chunk);
    nest.chunkParam = nest.params.size();
    nest.params.push_back(chunk);
    nest.chunksParam = nest.params.size();
    nest.params.push_back(chunks);
    nest.work = outer * chunks;
    perItem = inner * std::min(chunk, extent);
  }

  int64_t weight = 1;
  for (Node &node : nest.nodes)
    weight += node.expensive ? 12 : 1;
  nest.grain = std::max<int64_t>(1, (int64_t{1} << 18) / std::max<int64_t>(1, perItem * weight));

  // Saved values lie one after another in the order of the sweep, a tile apart from the end.
  const int64_t width = nest.vectorInner() ? inner + lanes : inner * tile;
  for (Node &node : nest.nodes)
    if (node.saved) {
      node.scratchParam = nest.params.size();
      nest.params.push_back(nest.scratchBytes);
      nest.scratchBytes += llvm::alignTo(width * 8, 64);
    }
}

std::optional<Nest> NestBuilder::build(int lanes) {
  for (Operation *op : group.ops)
    if (!addOp(op))
      return std::nullopt;
  for (Value output : group.outputs) {
    std::optional<Info> info = use(output); // an input that is copied counts too
    if (!info)
      return std::nullopt;
    outputs.push_back(*info);
  }
  if (outputs.empty()) {
    fail("it has no result");
    return std::nullopt;
  }
  Nest nest;
  nest.numInputs = group.inputs.size();
  nest.numOutputs = group.outputs.size();
  if (!relateLoops() || !chooseAxes(nest))
    return std::nullopt;
  for (const auto &entry : infos)
    if (hasDuplicates(atomsOf(entry.second.dims))) {
      fail("a value is needed at two places in one iteration");
      return std::nullopt;
    }
  resolve(nest);
  markLive(nest);
  merge(nest);
  assignLevels(nest);
  chooseSaved(nest, lanes);
  assignParams(nest);
  chooseWork(nest, lanes);
  return nest;
}

std::optional<Nest> buildNest(const GroupOps &group, const InputStrides &strides, int lanes,
                              std::string *why) {
  std::string first;
  for (auto [perUse, unite] :
       {std::pair{false, true}, {true, true}, {false, false}, {true, false}}) {
    NestBuilder builder(group, strides, perUse, unite);
    if (std::optional<Nest> nest = builder.build(lanes))
      return nest;
    if (first.empty())
      first = builder.why;
  }
  if (why)
    *why = first;
  return std::nullopt;
}

} // namespace raf::gen
