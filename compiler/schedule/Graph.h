// The kernels of a function as a graph: who must come before whom.
#pragma once

#include "compiler/schedule/Storage.h"

namespace raf::schedule {

/// Nodes are the kernel ops of the function in their present order. An edge a -> b says that a
/// comes before b: b reads a result of a, or b overwrites a state that a reads.
struct Graph {
  llvm::SmallVector<mlir::Operation *> kernels;
  llvm::DenseMap<mlir::Operation *, int> index;
  std::vector<llvm::SmallVector<int>> successors, predecessors;

  void addEdge(int from, int to);
  /// Whether a path leads from `from` to `to` (also when they are the same node).
  bool reaches(int from, int to) const;
};

/// Edges of data only.
Graph dataGraph(mlir::func::FuncOp func);
/// Kernels that read `root` or a view of it, each once, in order.
llvm::SmallVector<mlir::Operation *> readersOf(mlir::Value root);
/// A new state value and the kernel that writes it over the old one.
struct Donation {
  mlir::BlockArgument state;
  mlir::OpResult update;
};
/// The updates of `func` that a kernel writes (state returned as it came is left out).
llvm::SmallVector<Donation> donationsOf(mlir::func::FuncOp func);
/// Whether `kernel` can write result `result` over `root` although it reads it: each operand that
/// is a view of root is root as a whole and may be overwritten.
bool canOverwrite(mlir::Operation *kernel, unsigned result, mlir::Value root);

} // namespace raf::schedule
