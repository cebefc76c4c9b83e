// Values that a few cheap ops make from what their readers read anyway, or could read instead, need
// not go through memory: the readers' kernels compute them again. So the inner tanh of a gelu is
// not kept for the backward pass, and a causal mask never exists.
#include "compiler/cover/Grouping.h"

#include "compiler/lower/to_loops/Codegen.h"

using namespace mlir;

namespace raf::cover {

namespace {

constexpr size_t kMostCopies = 32;

double elementsOf(const Node &node) { return countElements(node.root()->getResultTypes()); }

} // namespace

llvm::SmallVector<int> Groups::readersOutside(int node) const {
  // A reader takes the value from memory in every group that computes the reader, but not the
  // value.
  llvm::SmallSetVector<int, 4> found;
  auto visit = [&](int group) {
    if (group != groupOf[node] && !llvm::is_contained(groups[group].copies, node))
      found.insert(group);
  };
  for (int reader : graph.nodes[node].consumers) {
    if (!dead.contains(reader))
      visit(groupOf[reader]);
    if (auto copied = copiedIn.find(reader); copied != copiedIn.end())
      llvm::for_each(copied->second, visit);
  }
  return llvm::SmallVector<int>(found.begin(), found.end());
}

bool Groups::isReadOutside(int node, int) const { return !readersOutside(node).empty(); }

/// The nodes that compute `node` from what lies in memory or is small enough to be put there. False
/// when one of them cannot be copied.
bool Groups::collectSlice(int node, llvm::SmallVectorImpl<int> &slice) const {
  int group = groupOf[node];
  double elements = elementsOf(graph.nodes[node]);
  llvm::SmallSetVector<int, 16> found;
  found.insert(node);
  for (size_t i = 0; i < found.size(); ++i) {
    LoopRole role = loopRoleOf(graph.nodes[found[i]].root());
    if ((role != LoopRole::Body && role != LoopRole::Index) || found.size() > kMostCopies)
      return false;
    for (int producer : graph.nodes[found[i]].producers) {
      bool own = groupOf[producer] == group && !dead.contains(producer);
      if (!own && !llvm::is_contained(groups[group].copies, producer))
        continue;
      bool small = elementsOf(graph.nodes[producer]) * 8 <= elements;
      if (own && (small || isReadOutside(producer, group)))
        continue;
      found.insert(producer);
    }
  }
  slice.assign(found.begin(), found.end());
  llvm::sort(slice);
  return true;
}

void Groups::dropUnused(int group) {
  for (int node : llvm::reverse(groups[group].nodes)) {
    bool used =
        isReadOutside(node, group) || llvm::any_of(graph.nodes[node].consumers, [&](int reader) {
          return groupOf[reader] == group && !dead.contains(reader);
        });
    if (!used)
      dead.insert(node);
  }
}

void Groups::recomputeNode(int node) {
  int owner = groupOf[node];
  llvm::SmallVector<int> readers = readersOutside(node);
  llvm::SmallVector<int> slice;
  double points = elementsOf(graph.nodes[node]);
  bool possible = !readers.empty() && llvm::all_of(readers, [&](int reader) {
    return isGenerated(reader) && static_cast<double>(groups[reader].domain.points) == points;
  });
  if (!possible || !collectSlice(node, slice))
    return;

  double before = secondsOf(bodyOf(owner));
  for (int reader : readers)
    before += secondsOf(bodyOf(reader));
  // Tried out on the groups themselves, and taken back when it does not pay.
  llvm::SmallVector<llvm::SmallVector<int>> old;
  for (int reader : readers) {
    old.push_back(groups[reader].copies);
    for (int copy : slice)
      if (groupOf[copy] != reader && !llvm::is_contained(groups[reader].copies, copy)) {
        groups[reader].copies.push_back(copy);
        copiedIn[copy].push_back(reader);
      }
  }
  llvm::DenseSet<int> oldDead = dead;
  dropUnused(owner);
  Body rest = bodyOf(owner);
  double after = rest.outputs.empty() ? 0 : secondsOf(rest);
  bool legal = rest.outputs.empty() || gen::checkGroup(rest.ops, rest.outputs);
  for (int reader : readers) {
    Body body = bodyOf(reader);
    after += secondsOf(body);
    auto isCopy = [&](int node) { return llvm::is_contained(groups[reader].copies, node); };
    legal = legal && after < before && !readsItself(body, isCopy) &&
            gen::checkGroup(body.ops, body.outputs);
  }
  if (legal && after < before)
    return;
  dead = std::move(oldDead);
  for (auto [reader, copies] : llvm::zip(readers, old)) {
    for (int copy : llvm::ArrayRef<int>(groups[reader].copies).drop_front(copies.size()))
      copiedIn[copy].pop_back();
    groups[reader].copies = copies;
  }
}

void Groups::recompute() {
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    if (node.isGenerated() && !dead.contains(static_cast<int>(index)))
      recomputeNode(static_cast<int>(index));
}

} // namespace raf::cover
