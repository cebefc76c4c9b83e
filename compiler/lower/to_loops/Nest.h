// The normal form of a fused group: axes, nodes and stores. Everything that machine code depends on
// is structure; everything else is a parameter. See docs/design/codegen.md.
#pragma once

#include "compiler/lower/to_loops/Codegen.h"

#include <optional>

namespace raf::gen {

/// Ops of a group in program order with what comes in and what goes out. Inputs and outputs may be
/// block arguments and yields of a gen.kernel, or values of a function.
struct GroupOps {
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> inputs, outputs;
};
GroupOps groupOf(KernelOp kernel);
GroupOps groupOf(llvm::ArrayRef<mlir::Operation *> ops, llvm::ArrayRef<mlir::Value> outputs);

using AxisMask = uint32_t;

/// One value of the group, computed once per point of the axes it depends on.
struct Node {
  enum Kind { Load, Constant, Body, Reduce, Iota, Random, Gather, Window };
  explicit Node(Kind kind, mlir::Operation *op = nullptr, mlir::Type type = {})
      : kind(kind), op(op), type(type) {}
  Kind kind;
  mlir::Operation *op; // none for Load
  mlir::Type type;     // element type
  llvm::SmallVector<unsigned, 3> operands;
  int input = -1; // Load, Gather, Window: which operand of the kernel; Random: the key
  /// Load, Gather, Window: address; Iota, Random: value, as a sum of axis index times stride.
  llvm::SmallVector<int64_t> strides;
  int64_t offset = 0; // Load, Window: elements added to the address
  /// Window: a dimension's index must lie in [low, low + length), else the value is the operand's.
  struct Guard {
    llvm::SmallVector<int64_t> strides;
    int64_t low = 0, length = 0;
    llvm::SmallVector<int> strideParams;
    int lowParam = -1, lengthParam = -1;
  };
  llvm::SmallVector<Guard, 1> guards;
  AxisMask axes = 0; // what the value varies over
  int level = 0;     // number of reductions it waits for
  bool live = false;
  bool saved = false;     // expensive and needed by several sweeps: kept in scratch
  bool expensive = false; // transcendental or random
  bool aligned = false;   // Random: four neighbours share a block
  double number = 0;      // Constant
  int64_t integer = 0;    // Constant of integer type
  // Parameter numbers; -1 where the value is structure.
  llvm::SmallVector<int> strideParams; // by axis
  int constantParam = -1;              // Constant, Random (op id)
  int gatherStride = -1, gatherExtent = -1, offsetParam = -1;
  int scratchParam = -1; // byte offset of a saved node in scratch
};

struct Store {
  unsigned result = 0, node = 0;
  llvm::SmallVector<int64_t> strides;
  llvm::SmallVector<int> strideParams;
  AxisMask axes = 0;
  int level = 0;
};

enum class NestKind { Elementwise, Row, Column };

/// Axes [0, parallel) are work items, axes [parallel, extents.size()) are reduced: swept for every
/// item.
struct Nest {
  NestKind kind = NestKind::Elementwise;
  llvm::SmallVector<int64_t> extents;
  unsigned parallel = 0;
  int vectorAxis = -1; // the axis that vectors lie along, none for a group of scalars
  std::vector<Node> nodes;
  std::vector<Store> stores;
  unsigned numInputs = 0, numOutputs = 0;
  int levels = 1; // sweeps
  int unroll = 1; // vectors per tile
  llvm::SmallVector<int64_t> params;
  int chunkParam = -1, chunksParam = -1; // of a vector axis that is parallel
  int64_t work = 1, grain = 1;
  uint64_t scratchBytes = 0;

  bool isInner(AxisMask axes) const { return (axes >> parallel) != 0; }
  bool vectorInner() const { return vectorAxis >= static_cast<int>(parallel); }
  bool onVector(AxisMask axes) const { return vectorAxis >= 0 && (axes >> vectorAxis & 1); }
};

/// Nothing when the group has no loop nest; `why` says what stands against it. `lanes` is the
/// number of 32-bit elements of a vector.
std::optional<Nest> buildNest(const GroupOps &group, const InputStrides &strides, int lanes,
                              std::string *why);

/// Whether result `result` may lie over input `input`: every iteration reads what it will write
/// before it does, and no later sweep reads it again.
bool mayStoreOver(const Nest &nest, unsigned result, unsigned input);

/// Canonical text of all that machine code depends on.
std::string structureOf(const Nest &nest);

} // namespace raf::gen
