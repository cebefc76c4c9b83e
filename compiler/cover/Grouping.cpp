#include "compiler/cover/Grouping.h"

#include "compiler/lower/to_loops/Codegen.h"

#include <map>
#include <queue>

using namespace mlir;

namespace raf::cover {

namespace {

// A kernel of more ops or operands runs out of registers and takes long to compile.
constexpr size_t kMostOps = 160, kMostOperands = 28;
// Groups of up to so many elements are cheaper than their launch; together they may have more
// operands.
constexpr int64_t kSmallPoints = 8192;
constexpr size_t kMostSmallOperands = 64;
// Ops visited while a merge is tried. Merges over a longer distance would keep values alive for
// long and are nearly always cycles (forward with backward).
constexpr size_t kMostVisited = 400;
// Reading less than this twice is cheaper than making unrelated kernels one.
constexpr double kSiblingBytes = 16384;

} // namespace

Domain Domain::of(Operation *op) {
  auto elements = [](Value v) { return ShapedType::getNumElements(shapeOf(v)); };
  Domain domain{Pointwise, elements(op->getResult(0)), -1};
  LoopRole role = loopRoleOf(op);
  if (role == LoopRole::Anchor)
    domain.kind = Anchor;
  if (role != LoopRole::Reduce)
    return domain;
  Value operand = op->getOperand(0);
  domain.kept = domain.points;
  domain.points = elements(operand);
  // Row reductions remove the innermost dimensions.
  llvm::ArrayRef<int64_t> from = shapeOf(operand);
  llvm::SmallVector<int64_t> dims;
  if (auto list = op->getAttrOfType<DenseI64ArrayAttr>("dims"))
    dims.assign(list.asArrayRef().begin(), list.asArrayRef().end());
  else if (auto dim = op->getAttrOfType<IntegerAttr>("dim"))
    dims.push_back(dim.getInt());
  bool keptInside = false;
  domain.kind = Row;
  for (int64_t i = static_cast<int64_t>(from.size()); i-- > 0;) {
    bool reduced = llvm::is_contained(dims, i);
    if (reduced && keptInside && from[i] != 1)
      domain.kind = Column;
    keptInside |= !reduced && from[i] != 1;
  }
  return domain;
}

std::optional<Domain> Domain::merge(const Domain &a, const Domain &b) {
  if (a.kind == Pointwise && b.kind != Pointwise)
    return merge(b, a);
  if (b.kind == Pointwise) {
    // Work on what the reductions leave goes with them.
    if (a.points == b.points || a.kept == b.points)
      return a;
    return std::nullopt;
  }
  if (a.kind == b.kind && a.kind != Anchor && a.points == b.points && a.kept == b.kept)
    return a;
  return std::nullopt;
}

Groups::Groups(const Graph &graph, const CostModel &costs) : graph(graph), costs(costs) {
  for (auto [index, node] : llvm::enumerate(graph.nodes)) {
    int id = static_cast<int>(index);
    groups.push_back({{id}, {}, node.isGenerated() ? Domain::of(node.root()) : Domain()});
    groupOf.push_back(id);
    order.push_back(id);
  }
}

llvm::SmallVector<int> Groups::neighbours(int group, bool consumers) const {
  llvm::SmallSetVector<int, 8> found;
  for (int node : groups[group].nodes)
    for (int other : consumers ? graph.nodes[node].consumers : graph.nodes[node].producers)
      if (groupOf[other] != group)
        found.insert(groupOf[other]);
  return llvm::SmallVector<int>(found.begin(), found.end());
}

/// Whether a merge of `a` and the later `b` makes no cycle: no path leads from a to b but direct
/// ones. Gives what must come after the merged group and what before, of the groups between them.
bool Groups::isOrdered(int a, int b, llvm::SmallVectorImpl<int> &after,
                       llvm::SmallVectorImpl<int> &before) {
  llvm::DenseSet<int> seen{a, b};
  size_t visited = 0;
  llvm::SmallVector<int> work{a};
  while (!work.empty()) {
    int group = work.pop_back_val();
    for (int next : neighbours(group, /*consumers=*/true)) {
      if (next == b && group != a)
        return false;
      if (order[next] > order[b] || !seen.insert(next).second)
        continue;
      if (++visited > kMostVisited)
        return false;
      after.push_back(next);
      work.push_back(next);
    }
  }
  work = {b};
  while (!work.empty()) {
    for (int next : neighbours(work.pop_back_val(), /*consumers=*/false)) {
      if (order[next] < order[a] || !seen.insert(next).second)
        continue;
      if (++visited > kMostVisited)
        return false;
      before.push_back(next);
      work.push_back(next);
    }
  }
  return true;
}

/// Whether a kernel would read, through a view between kernels, what it has not yet written.
bool Groups::readsItself(const Body &body, llvm::function_ref<bool(int node)> isMember) const {
  return llvm::any_of(body.inputs, [&](Value input) {
    int node = graph.nodeOf(graph.layoutOf(input).base);
    return node >= 0 && isMember(node);
  });
}

bool Groups::tryMerge(int a, int b, size_t mostOperands) {
  if (a == b || !isGenerated(a) || !isGenerated(b))
    return false;
  std::optional<Domain> domain = Domain::merge(groups[a].domain, groups[b].domain);
  if (!domain)
    return false;
  if (order[a] > order[b])
    std::swap(a, b);
  llvm::SmallVector<int> after, before;
  if (!isOrdered(a, b, after, before))
    return false;
  llvm::SmallVector<int> members;
  std::merge(groups[a].nodes.begin(), groups[a].nodes.end(), groups[b].nodes.begin(),
             groups[b].nodes.end(), std::back_inserter(members));
  Body body = graph.bodyOf(members, [&](int node) {
    return llvm::any_of(graph.nodes[node].consumers,
                        [&](int reader) { return groupOf[reader] != a && groupOf[reader] != b; });
  });
  if (body.ops.size() > kMostOps || body.inputs.size() + body.outputs.size() > mostOperands ||
      readsItself(body, [&](int node) { return groupOf[node] == a || groupOf[node] == b; }) ||
      !gen::checkGroup(body.ops, body.outputs))
    return false;

  groups[a] = {std::move(members), {}, *domain};
  groups[b] = {};
  for (int node : groups[a].nodes)
    groupOf[node] = a;
  // The places of all groups concerned, taken anew: what leads to the merged one, it, the rest.
  auto byOrder = [&](int x, int y) { return order[x] < order[y]; };
  llvm::sort(before, byOrder);
  llvm::sort(after, byOrder);
  llvm::SmallVector<int> sequence(before);
  sequence.push_back(a);
  sequence.append(after);
  llvm::SmallVector<int> places{order[b]};
  for (int group : sequence)
    places.push_back(order[group]);
  llvm::sort(places);
  for (auto [group, place] : llvm::zip(sequence, places))
    order[group] = place;
  return true;
}

/// Joins what reads a value with what makes it, large values first.
bool Groups::fuseProducers() {
  struct Edge {
    double bytes;
    int from, to;
  };
  llvm::SmallVector<Edge> edges;
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    for (int reader : node.consumers)
      edges.push_back({countBytes(node.root()->getResultTypes()), static_cast<int>(index), reader});
  llvm::stable_sort(edges, [](const Edge &a, const Edge &b) { return a.bytes > b.bytes; });
  bool merged = false;
  for (const Edge &edge : edges)
    merged |= tryMerge(groupOf[edge.from], groupOf[edge.to], kMostOperands);
  return merged;
}

/// Joins neighbouring readers of one value, so that it is read once.
bool Groups::fuseSiblings() {
  bool merged = false;
  auto visit = [&](Value value) {
    llvm::ArrayRef<int> readers = graph.readersOf(value);
    if (countBytes(value.getType()) < kSiblingBytes)
      return;
    for (size_t i = 1; i < readers.size(); ++i)
      merged |= tryMerge(groupOf[readers[i - 1]], groupOf[readers[i]], kMostOperands);
  };
  Block *block = graph.nodes.front().root()->getBlock();
  llvm::for_each(block->getArguments(), visit);
  for (const Node &node : graph.nodes)
    llvm::for_each(node.root()->getResults(), visit);
  return merged;
}

/// Joins small groups of one size that the same groups wait for, such as the updates of biases,
/// even where they share no value: one launch does for many.
void Groups::fuseSmall() {
  using Key = std::tuple<int, int64_t, int64_t, std::vector<int>>;
  std::map<Key, int> last; // a node of the group that the next one may join
  for (size_t id = 0; id < groups.size(); ++id) {
    int group = static_cast<int>(id);
    if (groups[group].nodes.empty() || !isGenerated(group) ||
        groups[group].domain.points > kSmallPoints)
      continue;
    llvm::SmallVector<int> waiting = neighbours(group, /*consumers=*/true);
    llvm::sort(waiting);
    const Domain &domain = groups[group].domain;
    int node = groups[group].nodes.front();
    auto [entry, isNew] = last.try_emplace(
        Key{domain.kind, domain.points, domain.kept, {waiting.begin(), waiting.end()}}, node);
    if (!isNew && !tryMerge(groupOf[entry->second], group, kMostSmallOperands))
      entry->second = node;
  }
}

void Groups::fuse() {
  // A merge may make room for one that was refused before; nothing new is found after a few rounds.
  for (int round = 0; round < 4; ++round) {
    bool merged = fuseProducers();
    merged |= fuseSiblings();
    if (!merged)
      break;
  }
  fuseSmall();
}

Body Groups::bodyOf(int group) const {
  llvm::SmallVector<int> members(groups[group].copies);
  for (int node : groups[group].nodes)
    if (!dead.contains(node))
      members.push_back(node);
  llvm::sort(members);
  return graph.bodyOf(
      members, [&](int node) { return groupOf[node] == group && isReadOutside(node, group); });
}

double Groups::secondsOf(const Body &body) const {
  double compute = 0, move = 0;
  for (Operation *op : body.ops)
    compute += costs.compute(op);
  for (Value value : body.inputs)
    move += costs.move(value.getType());
  for (Value value : body.outputs)
    move += costs.move(value.getType());
  return costs.kernel("gen.kernel", compute, move);
}

llvm::SmallVector<int> Groups::inOrder() const {
  llvm::DenseMap<int, int> waiting;
  using Entry = std::pair<int, int>; // last node, group
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (auto [index, group] : llvm::enumerate(groups)) {
    if (group.nodes.empty())
      continue;
    int id = static_cast<int>(index);
    waiting[id] = static_cast<int>(neighbours(id, /*consumers=*/false).size());
    if (waiting[id] == 0)
      ready.push({group.nodes.back(), id});
  }
  llvm::SmallVector<int> result;
  while (!ready.empty()) {
    int group = ready.top().second;
    ready.pop();
    result.push_back(group);
    for (int next : neighbours(group, /*consumers=*/true))
      if (--waiting[next] == 0)
        ready.push({groups[next].nodes.back(), next});
  }
  return result;
}

} // namespace raf::cover
