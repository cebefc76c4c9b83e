#include "compiler/lower/to_rt/Propose.h"

#include "compiler/lower/to_rt/Rt.h"

using namespace mlir;

namespace raf::rt {

std::optional<cover::Proposal> propose(Operation *op, const cover::ProposalContext &context) {
  if (!isa<raf::SortOp, raf::TopKOp>(op))
    return std::nullopt;
  cover::Proposal proposal;
  proposal.dialect = "rt";
  proposal.kernel = isa<raf::SortOp>(op) ? "rt.sort" : "rt.topk";
  proposal.ops = {op};
  proposal.operands = {op->getOperand(0)};
  double move = context.costs.move(op->getOperand(0).getType());
  for (Type type : op->getResultTypes())
    move += context.costs.move(type);
  // Comparisons of a merge sort: scalar code, about ten vector operations' time each.
  double elements = countElements(op->getOperandTypes());
  double steps = 1 + std::log2(1 + static_cast<double>(shapeOf(op->getOperand(0)).empty()
                                                           ? 1
                                                           : shapeOf(op->getOperand(0)).back()));
  proposal.seconds = context.costs.kernel(
      proposal.kernel, 10 * elements * steps / context.costs.getMachine().vectorRate, move);
  proposal.acceptsStrides = [](unsigned, llvm::ArrayRef<int64_t>, llvm::ArrayRef<int64_t>) {
    return true;
  };
  proposal.build = [op](OpBuilder &b, Location loc, ValueRange operands) {
    Operation *kernel;
    if (auto sort = dyn_cast<raf::SortOp>(op))
      kernel = b.create<SortOp>(loc, op->getResultTypes(), operands[0], sort.getDimAttr(),
                                sort.getDescendingAttr());
    else
      kernel =
          b.create<TopKOp>(loc, op->getResultTypes(), operands[0], cast<raf::TopKOp>(op).getKAttr(),
                           cast<raf::TopKOp>(op).getDimAttr());
    return llvm::SmallVector<Value>(kernel->getResults());
  };
  return proposal;
}

} // namespace raf::rt
