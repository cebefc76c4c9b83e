// From the ops of a group to nodes over factored dimensions, then over axes.
#pragma once

#include "compiler/lower/to_loops/Factors.h"
#include "compiler/lower/to_loops/Nest.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"

namespace raf::gen {

class NestBuilder {
public:
  /// With `perUse` every use of an input is an access of its own, so that x + transpose(x) has a
  /// nest; without, all uses of an input share their dimensions, so that loops meet. With
  /// `uniteOutputs` outputs of equal size that no op relates are computed in one loop.
  NestBuilder(const GroupOps &group, const InputStrides &strides, bool perUse, bool uniteOutputs)
      : group(group), inputStrides(strides), perUse(perUse), uniteOutputs(uniteOutputs) {}

  std::optional<Nest> build(int lanes);
  std::string why;

private:
  using Dims = llvm::SmallVector<FactorList, 4>;
  struct Info {
    unsigned node = 0;
    Dims dims;
  };
  /// A sum of (index of a dimension) times stride: an address, an iota, a random index.
  using Terms = llvm::SmallVector<std::pair<FactorList, int64_t>, 4>;

  // NestOps.cpp: one op at a time.
  bool addOp(mlir::Operation *op);
  bool addElementwise(mlir::Operation *op);
  bool addReduce(mlir::Operation *op, llvm::ArrayRef<int64_t> dims);
  bool addTake(mlir::Operation *op, mlir::Value x, mlir::Value indices, int64_t dim);
  bool addGather(mlir::Operation *op, mlir::Value x, mlir::Value indices, int64_t dim);
  bool addConstant(mlir::Operation *op);
  bool addPad(mlir::Operation *op);
  bool addConcat(mlir::Operation *op);
  bool addMoved(mlir::Operation *op); // slice, reverse
  std::optional<Info> use(mlir::Value v);
  unsigned addNode(Node node, Terms terms = {});
  Dims freshDims(llvm::ArrayRef<int64_t> shape);
  std::optional<unsigned> inputNumber(mlir::Value v) const;
  bool fail(mlir::Operation *op, const llvm::Twine &reason);
  bool fail(const llvm::Twine &reason);

  // NestAxes.cpp: choice of axes, merging, levels, parameters.
  bool relateLoops();
  bool chooseAxes(Nest &nest);
  void resolve(Nest &nest);
  void merge(Nest &nest);
  void markLive(Nest &nest);
  void assignLevels(Nest &nest);
  void chooseSaved(Nest &nest, int lanes);
  void assignParams(Nest &nest);
  void chooseWork(Nest &nest, int lanes);
  llvm::SmallVector<int64_t> stridesOf(const Terms &terms);
  FactorList atomsOf(const Dims &dims);

  const GroupOps &group;
  const InputStrides &inputStrides;
  bool perUse, uniteOutputs;
  Factors factors;
  llvm::DenseMap<mlir::Value, Info> infos;
  std::vector<Node> nodes;
  std::vector<Terms> terms;                                // of each node
  llvm::DenseMap<unsigned, std::vector<Terms>> guardTerms; // of windows
  struct Reduction {
    unsigned node;
    Dims dims; // of the operand
    FactorList reduced;
  };
  std::vector<Reduction> reductions;
  std::vector<Info> outputs;
  FactorList axes; // atoms: parallel ones, then inner ones
  unsigned numParallel = 0;
};

} // namespace raf::gen
