// Writes the LLVM function of a nest. Each value of the group is emitted once per tile of `unroll`
// vectors, as scalars where it does not vary along the vectors.
#pragma once

#include "compiler/lower/to_loops/Body.h"
#include "compiler/lower/to_loops/KernelFunction.h"
#include "compiler/lower/to_loops/Nest.h"

namespace raf::gen {

class NestEmitter {
public:
  NestEmitter(const Nest &nest, KernelFunction &kernel, unsigned lanes)
      : nest(nest), k(kernel), b(kernel.b), ir(kernel.ir), lanes(lanes) {}
  void emit();

private:
  using Value = llvm::Value;
  using Values = llvm::SmallVector<Value *, 4>;
  /// Values of nodes in the loops around the current place: one scalar, or one vector per tile
  /// part.
  using Cache = std::vector<Values>;

  // Loops.
  void emitItem(Value *item);
  void emitTiles(Value *low, Value *high, llvm::function_ref<void()> body);
  void emitLevels();
  void emitRowPhase(int level);
  void emitSweep(int level);
  Values sweepLoops(unsigned axis, Values accumulators);
  Values sweepBody(const Values &accumulators);
  void evalAtDepth(unsigned axis);
  Value *fullTiles(Value *low, Value *high);
  Value *tailMask(Value *rest);

  // Values.
  bool uniform(const Node &node) const { return !nest.onVector(node.axes); }
  Value *eval(unsigned node, unsigned part);
  Value *vectorOf(unsigned node, unsigned part); // splat where uniform
  Value *compute(unsigned node, unsigned part);
  Value *load(const Node &node, unsigned part);
  Value *window(const Node &node, unsigned part);
  Value *address(const Node &node); // of the tile's first element
  Value *random(unsigned node, unsigned part);
  Value *iota(const Node &node, unsigned part);
  Value *constant(const Node &node);
  void store(const Store &store, unsigned part);
  Value *offset(llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int> params);
  Value *strideValue(llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int> params, unsigned axis);
  Value *laneOffsets(Value *stride, unsigned part);
  Value *scratchAddress(const Node &node, unsigned part);
  llvm::SmallVector<unsigned> neededIn(int level) const;

  // Reductions.
  llvm::SmallVector<unsigned> reductionsOf(int level) const;
  unsigned partsOf(const Node &reduce) const;
  Value *identity(const Node &reduce, llvm::Type *type);
  Value *combine(const Node &reduce, Value *a, Value *x);
  Value *acrossLanes(const Node &reduce, llvm::ArrayRef<Value *> parts);

  const Nest &nest;
  KernelFunction &k;
  BodyBuilder &b;
  llvm::IRBuilder<> &ir;
  unsigned lanes;
  Cache cache;
  std::vector<bool> inScratch;
  llvm::SmallVector<Value *> index; // of each axis; of the vector axis: the tile's first
  unsigned parts = 1;               // vectors in the current tile
  Value *mask = nullptr;            // of the current tile's only vector, when not full
  int sweep = 0;
};

} // namespace raf::gen
