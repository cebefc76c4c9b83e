#include "compiler/lower/to_loops/anchors/Places.h"

#include "compiler/ir/Views.h"

using namespace mlir;

namespace raf::gen {

Places::Places(const PlanContext &context, Operation *anchor) : context(context), anchor(anchor) {}

std::nullopt_t Places::refuse(const llvm::Twine &reason) const {
  if (context.why.empty())
    context.why = (anchor->getName().getStringRef() + ": " + reason).str();
  return std::nullopt;
}

bool Places::check() const {
  for (Operation *op : context.group.ops)
    if (op != anchor && !isa<ReshapeOp, TransposeOp, BroadcastOp>(op)) {
      refuse("its loops take no " + op->getName().getStringRef() + " in");
      return false;
    }
  // Through ops of the group only: an op outside may lead to the anchor too, as a view of what
  // another kernel has made.
  for (Value output : context.group.outputs)
    for (Value v = output; v.getDefiningOp() != anchor; v = v.getDefiningOp()->getOperand(0))
      if (!llvm::is_contained(context.group.ops, v.getDefiningOp()) ||
          !isa<ReshapeOp, TransposeOp>(v.getDefiningOp())) {
        refuse("an output of the kernel comes from elsewhere");
        return false;
      }
  return true;
}

std::optional<Place> Places::operand(Value value) const {
  llvm::SmallVector<Operation *> chain;
  Value base = value;
  while (!llvm::is_contained(context.group.inputs, base)) {
    chain.push_back(base.getDefiningOp());
    base = base.getDefiningOp()->getOperand(0);
  }
  unsigned index = llvm::find(context.group.inputs, base) - context.group.inputs.begin();
  ViewLayout layout{base, 0, context.strides[index]};
  for (Operation *op : llvm::reverse(chain)) {
    std::optional<ViewLayout> next = applyView(op, layout);
    if (!next)
      return refuse(op->getName().getStringRef() + " before it would have to move elements");
    layout = std::move(*next);
  }
  if (layout.offset != 0)
    return refuse("an operand starts inside of a kernel input");
  return Place{static_cast<int>(index), layout.strides};
}

std::optional<Place> Places::result(Value value) const {
  std::optional<Place> place;
  for (auto [index, output] : llvm::enumerate(context.group.outputs)) {
    llvm::SmallVector<Operation *> chain; // from the output back to the result
    Value v = output;
    for (; v.getDefiningOp() != anchor; v = v.getDefiningOp()->getOperand(0))
      chain.push_back(v.getDefiningOp());
    if (v != value)
      continue;
    if (place)
      return refuse("one result leaves the kernel in two layouts");
    place = Place{static_cast<int>(context.group.inputs.size() + index),
                  contiguousStrides(shapeOf(output))};
    for (Operation *op : chain) {
      Value from = op->getOperand(0);
      if (auto transpose = dyn_cast<TransposeOp>(op)) {
        llvm::SmallVector<int64_t> before(rankOf(from));
        for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
          before[dim] = place->strides[i];
        place->strides = before;
        continue;
      }
      auto before = reshapedStrides(shapeOf(op->getResult(0)), place->strides, shapeOf(from));
      if (!before)
        return refuse("raf.reshape behind it would have to move elements");
      place->strides = *before;
    }
  }
  return place ? *place : Place{};
}

} // namespace raf::gen
