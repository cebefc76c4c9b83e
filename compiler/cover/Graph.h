// The function as the cover sees it: nodes (what is launched, alone or as part of a fused group)
// joined by the values that they hand on; shape ops and small constants are looked through.
#pragma once

#include "compiler/cover/Proposal.h"
#include "compiler/ir/Views.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace raf::cover {

/// What becomes of one op.
enum class Part {
  Node,    // computed by a kernel
  Inside,  // copied into every generated kernel that uses it: shape ops, iota, small constants
  Outside, // a view between kernels (slices, reshapes that no loop nest takes); large constants
};

/// What was decided between a library kernel and generated code, and what came second.
struct Claim {
  Proposal proposal;
  std::string runnerUp;
  double runnerUpSeconds = 0;
  bool lost = false; // the op (only the first of the proposal) goes to generated code
};

struct Node {
  llvm::SmallVector<mlir::Operation *, 1> ops; // several only for a library kernel
  const Claim *claim = nullptr;                // null: nothing but generated code, or the return
  llvm::SmallVector<int> producers, consumers; // each node once, ascending

  mlir::Operation *root() const { return ops.back(); }
  bool isReturn() const { return root()->hasTrait<mlir::OpTrait::IsTerminator>(); }
  bool isLibrary() const { return claim && !claim->lost; }
  bool isGenerated() const { return !isLibrary() && !isReturn(); }
};

/// One generated kernel: its ops in program order and what crosses its border.
struct Body {
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> inputs, outputs;
};

class Graph {
public:
  /// `mayGenerate` tells for which ops generated code is allowed.
  Graph(mlir::func::FuncOp function, std::function<bool(mlir::Operation *)> mayGenerate)
      : function(function), mayGenerate(std::move(mayGenerate)) {}

  /// Fails with located errors for every op that no kernel computes.
  mlir::LogicalResult build(llvm::ArrayRef<Claim> claims);

  Part partOf(mlir::Operation *op) const { return parts.lookup(op); }
  /// The node that makes `value`; -1 for arguments and constants.
  int nodeOf(mlir::Value value) const;
  /// Nodes that read a value in memory, directly or through Inside and Outside ops; ascending.
  llvm::ArrayRef<int> readersOf(mlir::Value value) const;
  /// Layout of a value as kernels find it after the cover.
  ViewLayout layoutOf(mlir::Value value) const;
  /// The body of a kernel of these nodes (ascending). `isOutput(node)` tells whether the node's
  /// result is needed outside.
  Body bodyOf(llvm::ArrayRef<int> members, llvm::function_ref<bool(int node)> isOutput) const;

  llvm::SmallVector<Node> nodes; // by position of their last op; the last one is the return

private:
  mlir::LogicalResult classify(llvm::ArrayRef<Claim> claims);
  bool forceNodes();
  bool force(mlir::Operation *op, Part part);
  bool forceNode(mlir::Value value);
  void connect();
  mlir::LogicalResult checkSingles(bool &changed);
  bool moveOut(const Node &node, const Body &body);

  mlir::func::FuncOp function;
  std::function<bool(mlir::Operation *)> mayGenerate;
  llvm::DenseMap<mlir::Operation *, Part> parts, forced;
  llvm::DenseMap<mlir::Operation *, int> nodeIndex;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int, 2>> readers;
  /// Per value: the values in memory that it is made from by Inside and Outside ops.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> sources;
};

/// The op's role in a generated kernel.
LoopRole loopRoleOf(mlir::Operation *op);

} // namespace raf::cover
