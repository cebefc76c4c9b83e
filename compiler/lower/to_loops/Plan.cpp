#include "compiler/lower/to_loops/Plan.h"

#include "compiler/lower/to_loops/NestEmitter.h"

using namespace mlir;

namespace raf::gen {

unsigned PlanContext::input(Value v) const {
  const auto *found = llvm::find(group.inputs, v);
  assert(found != group.inputs.end() && "an operand of an anchor is an input");
  return found - group.inputs.begin();
}

Anchor anchorOf(Operation *op) {
  if (isa<MatmulOp>(op))
    return planMatmul;
  if (isa<EmbeddingGradOp, PutAddOp, ScatterAddOp>(op))
    return planScatter;
  if (isa<CumSumOp, ArgMaxOp, ArgMinOp>(op))
    return planScan;
  if (hasAttentionNest(op))
    return planAttention;
  return nullptr;
}

std::optional<KernelPlan> planKernel(const GroupOps &group, const InputStrides &strides, int lanes,
                                     std::string *why) {
  std::string reason;
  for (Operation *op : group.ops) {
    Anchor anchor = anchorOf(op);
    if (!anchor)
      continue;
    const bool alone = group.ops.size() == 1 && group.outputs.size() == 1;
    if (!alone && !hasAttentionNest(op)) { // attention takes in views
      if (why)
        *why = (op->getName().getStringRef() + ": its loops take no other op in").str();
      return std::nullopt;
    }
    std::optional<KernelPlan> plan = anchor(op, {group, strides, lanes, reason});
    if (!plan && why)
      *why = reason;
    return plan;
  }

  std::optional<Nest> nest = buildNest(group, strides, lanes, why);
  if (!nest)
    return std::nullopt;
  KernelPlan plan;
  plan.structure = structureOf(*nest);
  plan.params = nest->params;
  plan.work = nest->work;
  plan.grain = nest->grain;
  plan.scratchBytes = nest->scratchBytes;
  plan.nest = std::move(nest);
  plan.emit = [nest = *plan.nest, lanes](KernelFunction &function) {
    NestEmitter(nest, function, lanes).emit();
  };
  return plan;
}

} // namespace raf::gen
