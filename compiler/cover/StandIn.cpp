#include "compiler/cover/StandIn.h"

#include "compiler/lower/to_loops/Codegen.h"

using namespace mlir;

namespace raf::cover {

LoopRole standInRole(Operation *op) {
  if (isa<ReshapeOp, TransposeOp, BroadcastOp, IotaOp, ConstantOp>(op))
    return LoopRole::Index;
  if (isa<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp, ReduceAnyOp, ReduceAllOp>(op))
    return LoopRole::Reduce;
  if (isa<MatmulOp, EmbeddingOp, EmbeddingGradOp, TakeOp, PutAddOp, GatherOp, ScatterAddOp,
          ConcatOp, PadOp, ReverseOp, ArgMaxOp, ArgMinOp, CumSumOp>(op))
    return LoopRole::Anchor;
  if (isa<DecomposableOpInterface>(op))
    return LoopRole::Composite;
  if (isa<SortOp, TopKOp>(op) || !isa<RafDialect>(op->getDialect()))
    return LoopRole::None;
  return LoopRole::Body;
}

} // namespace raf::cover

namespace raf::gen {

__attribute__((weak)) bool checkGroup(llvm::ArrayRef<Operation *> ops,
                                      llvm::ArrayRef<Value> outputs, std::string *why) {
  auto refuse = [&](llvm::StringRef reason) {
    if (why)
      *why = reason.str();
    return false;
  };
  // One anchor alone; else element-wise work and reductions over the innermost dimensions.
  int anchors = 0;
  for (Operation *op : ops)
    anchors += cover::standInRole(op) == LoopRole::Anchor;
  if (anchors > 1 || (anchors == 1 && outputs.size() > 1))
    return refuse("an op that has a loop nest of its own is joined with another one");
  llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());
  std::optional<std::pair<double, double>> reduced;
  for (Operation *op : ops) {
    LoopRole role = cover::standInRole(op);
    if (role == LoopRole::None || role == LoopRole::Composite)
      return refuse("an op is no loop nest");
    if (role != LoopRole::Reduce)
      continue;
    double from = countElements(op->getOperandTypes()), to = countElements(op->getResultTypes());
    if (!reduced)
      reduced = {from, to};
    if (*reduced != std::pair(from, to))
      return refuse("reductions are over different extents");
    auto dims = op->getAttrOfType<DenseI64ArrayAttr>("dims").asArrayRef();
    bool innermost = dims.empty() ||
                     dims.front() + static_cast<int64_t>(dims.size()) == rankOf(op->getOperand(0));
    for (Operation *user : op->getUsers())
      if (!innermost && inside.contains(user))
        return refuse("what follows a reduction over outer dimensions needs a kernel of its own");
  }
  return true;
}

__attribute__((weak)) void splitReductions(func::FuncOp) {}

} // namespace raf::gen
