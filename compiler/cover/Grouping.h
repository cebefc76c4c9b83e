// Fused groups: which nodes one generated kernel computes.
#pragma once

#include "compiler/cover/Graph.h"

namespace raf::cover {

/// What a group iterates over, roughly: enough to leave out most pairs that no kernel can hold.
/// Code generation has the last word (gen::checkGroup).
struct Domain {
  enum Kind { Pointwise, Row, Column, Anchor } kind = Pointwise;
  int64_t points = 0; // elements of the iteration space
  int64_t kept = -1;  // Row, Column: elements that the reductions leave

  static Domain of(mlir::Operation *op);
  /// The domain of both together, or nothing.
  static std::optional<Domain> merge(const Domain &a, const Domain &b);
};

struct Group {
  llvm::SmallVector<int> nodes;  // own nodes, ascending; empty: merged into another group
  llvm::SmallVector<int> copies; // nodes of other groups that this one computes again
  Domain domain;
};

class Groups {
public:
  Groups(const Graph &graph, const CostModel &costs);

  /// Merges groups while that saves memory traffic or launches.
  void fuse();
  /// Lets groups compute again what is cheaper to compute than to write and read.
  void recompute();

  const Graph &graph;
  llvm::SmallVector<Group> groups; // by node at first
  llvm::SmallVector<int> groupOf;  // per node

  bool isGenerated(int group) const {
    return graph.nodes[groups[group].nodes.front()].isGenerated();
  }
  /// Groups in an order in which each comes after those it reads from; among the possible ones the
  /// one whose last op comes first.
  llvm::SmallVector<int> inOrder() const;
  /// The group's kernel; without outputs when other groups compute again all that it made.
  Body bodyOf(int group) const;
  double secondsOf(const Body &body) const;

private:
  bool tryMerge(int a, int b, size_t mostOperands);
  bool isOrdered(int a, int b, llvm::SmallVectorImpl<int> &after,
                 llvm::SmallVectorImpl<int> &before);
  bool fuseProducers();
  bool fuseSiblings();
  void fuseSmall();
  bool isReadOutside(int node, int group) const;
  bool readsItself(const Body &body, llvm::function_ref<bool(int node)> isMember) const;
  llvm::SmallVector<int> readersOutside(int node) const;
  bool collectSlice(int node, llvm::SmallVectorImpl<int> &slice) const;
  void dropUnused(int group);
  llvm::SmallVector<int> neighbours(int group, bool consumers) const;
  void recomputeNode(int node);

  const CostModel &costs;
  llvm::SmallVector<int> order; // per group: its place in a topological order
  /// Per node: groups that hold a copy.
  llvm::DenseMap<int, llvm::SmallVector<int, 2>> copiedIn;
  llvm::DenseSet<int> dead; // nodes that only copies compute now
};

} // namespace raf::cover
