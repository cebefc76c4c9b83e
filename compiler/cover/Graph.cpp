#include "compiler/cover/Graph.h"

#include "compiler/lower/to_loops/Codegen.h"

using namespace mlir;

namespace raf::cover {

namespace {

/// Constants that a kernel holds as an immediate.
bool isSmallConstant(Operation *op) {
  auto constant = dyn_cast<raf::ConstantOp>(op);
  return constant && (constant.getValue().isSplat() || constant.getValue().getNumElements() == 1);
}

} // namespace

LoopRole loopRoleOf(Operation *op) {
  if (auto nest = dyn_cast<LoopNestOpInterface>(op))
    return nest.getLoopRole();
  return LoopRole::None;
}

LogicalResult Graph::build(llvm::ArrayRef<Claim> claims) {
  // Each round may find that a value must lie in memory after all, and starts again with that.
  // Rounds are few: only shape ops are forced, and one round finds all that it can see.
  bool changed = true;
  while (changed) {
    if (failed(classify(claims)))
      return failure();
    changed = forceNodes();
    if (changed)
      continue;
    connect();
    if (failed(checkSingles(changed)))
      return failure();
  }
  return success();
}

LogicalResult Graph::classify(llvm::ArrayRef<Claim> claims) {
  nodes.clear();
  parts.clear();
  nodeIndex.clear();
  sources.clear();
  llvm::DenseMap<Operation *, const Claim *> claimOf;
  for (const Claim &claim : claims)
    for (Operation *op : claim.proposal.ops)
      claimOf[op] = &claim;

  LogicalResult result = success();
  for (Operation &op : function.getBody().front()) {
    llvm::SmallSetVector<Value, 4> from;
    for (Value operand : op.getOperands()) {
      auto found = sources.find(operand);
      if (found == sources.end())
        from.insert(operand);
      else
        from.insert(found->second.begin(), found->second.end());
    }
    const Claim *claim = claimOf.lookup(&op);
    LoopRole role = loopRoleOf(&op);
    Part part = Part::Node;
    if (auto found = forced.find(&op); found != forced.end())
      part = found->second;
    else if (claim || op.hasTrait<OpTrait::IsTerminator>())
      part = Part::Node;
    else if (isa<raf::ConstantOp>(op))
      part = isSmallConstant(&op) ? Part::Inside : Part::Outside;
    else if (isa<raf::SliceOp>(op))
      part = Part::Outside;
    else if (isViewKind(&op) || isa<raf::IotaOp>(op))
      part = Part::Inside;
    // Arithmetic on indices and constants alone (a causal mask) reads no memory.
    else if (role == LoopRole::Body && from.empty() && opWeight(&op) <= 2)
      part = Part::Inside;
    else if (role == LoopRole::None || role == LoopRole::Composite || !mayGenerate(&op))
      result = op.emitError("no allowed operator dialect has a kernel for '")
               << op.getName() << "'";

    parts[&op] = part;
    if (part == Part::Node || isa<raf::ConstantOp>(op) != isSmallConstant(&op)) {
      for (Value value : op.getResults())
        sources[value] = {value};
    } else {
      sources[op.getResult(0)].assign(from.begin(), from.end());
    }
    if (part != Part::Node || (claim && claim->proposal.ops.back() != &op))
      continue;
    Node node;
    node.claim = claim;
    if (claim)
      node.ops.assign(claim->proposal.ops.begin(), claim->proposal.ops.end());
    else
      node.ops = {&op};
    for (Operation *member : node.ops)
      nodeIndex[member] = static_cast<int>(nodes.size());
    nodes.push_back(std::move(node));
  }
  return result;
}

int Graph::nodeOf(Value value) const {
  Operation *def = value.getDefiningOp();
  auto found = def ? nodeIndex.find(def) : nodeIndex.end();
  return found == nodeIndex.end() ? -1 : found->second;
}

llvm::ArrayRef<int> Graph::readersOf(Value value) const {
  auto found = readers.find(value);
  return found == readers.end() ? llvm::ArrayRef<int>() : llvm::ArrayRef<int>(found->second);
}

ViewLayout Graph::layoutOf(Value value) const {
  return viewLayout(value, [&](Operation *op) { return partOf(op) == Part::Node; });
}

/// Decides about an op for the rounds to come; once a node, always one. True while this round still
/// has it otherwise: one op may stand against several nodes.
bool Graph::force(Operation *op, Part part) {
  Part &now = forced.try_emplace(op, part).first->second;
  if (part == Part::Node)
    now = part;
  return partOf(op) != now;
}

/// Makes the op that holds the elements of `value` a node when it is a shape op so far.
bool Graph::forceNode(Value value) {
  Operation *def = value.getDefiningOp();
  return def && partOf(def) != Part::Node && !isa<raf::ConstantOp>(def) && force(def, Part::Node);
}

/// Values that something other than a loop nest reads must lie in memory, as views at most.
bool Graph::forceNodes() {
  bool changed = false;
  for (Operation &op : function.getBody().front())
    if (partOf(&op) == Part::Outside && isViewKind(&op))
      changed |= forceNode(layoutOf(op.getResult(0)).base);
  for (const Node &node : nodes) {
    if (node.isGenerated())
      continue;
    llvm::ArrayRef<Value> operands;
    llvm::SmallVector<Value> returned(node.root()->getOperands());
    operands = node.isLibrary() ? llvm::ArrayRef<Value>(node.claim->proposal.operands) : returned;
    for (auto [index, value] : llvm::enumerate(operands)) {
      ViewLayout layout = layoutOf(value);
      if (forceNode(layout.base)) {
        changed = true;
        continue;
      }
      if (!isViewKind(value.getDefiningOp()))
        continue;
      bool accepted;
      if (node.isLibrary())
        accepted = layout.isContiguous(shapeOf(value)) ||
                   node.claim->proposal.acceptsStrides(index, shapeOf(value), layout.strides);
      else // A whole value; the plan copies an argument that is returned under another shape.
        accepted = layout.isContiguous(shapeOf(value)) &&
                   countElements(value.getType()) == countElements(layout.base.getType());
      if (!accepted)
        changed |= forceNode(value);
    }
  }
  return changed;
}

void Graph::connect() {
  readers.clear();
  for (auto [index, node] : llvm::enumerate(nodes)) {
    int reader = static_cast<int>(index);
    llvm::SmallSetVector<Value, 8> reads;
    auto addOperand = [&](Value operand) {
      if (nodeOf(operand) == reader)
        return;
      auto found = sources.find(operand);
      if (found == sources.end())
        reads.insert(operand);
      else
        reads.insert(found->second.begin(), found->second.end());
    };
    if (node.isLibrary())
      llvm::for_each(node.claim->proposal.operands, addOperand);
    else
      llvm::for_each(node.root()->getOperands(), addOperand);
    llvm::SmallSetVector<int, 8> producers;
    for (Value value : reads) {
      readers[value].push_back(reader);
      if (int producer = nodeOf(value); producer >= 0)
        producers.insert(producer);
    }
    node.producers.assign(producers.begin(), producers.end());
    llvm::sort(node.producers);
    for (int producer : node.producers)
      nodes[producer].consumers.push_back(reader);
  }
}

Body Graph::bodyOf(llvm::ArrayRef<int> members, llvm::function_ref<bool(int)> isOutput) const {
  // Inside ops stand before their first user, wherever the function has them: equal groups then
  // read alike and share their machine code.
  Body body;
  llvm::SmallDenseSet<Operation *, 32> seen;
  llvm::SmallSetVector<Value, 16> inputs;
  llvm::DenseSet<Operation *> own;
  for (int member : members)
    own.insert(nodes[member].root());
  auto add = [&](auto &self, Operation *op) -> void {
    if (!seen.insert(op).second)
      return;
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (def && partOf(def) == Part::Inside)
        self(self, def);
      else if (!def || !own.contains(def))
        inputs.insert(operand);
    }
    body.ops.push_back(op);
  };
  for (int member : members)
    add(add, nodes[member].root());
  body.inputs.assign(inputs.begin(), inputs.end());
  for (int member : members)
    if (isOutput(member))
      for (Value result : nodes[member].root()->getResults())
        if (!readersOf(result).empty())
          body.outputs.push_back(result);
  return body;
}

/// Moves shape ops out of the way of a node that has no kernel together with them: they become
/// views between kernels, or kernels of their own. False when nothing is left to move.
bool Graph::moveOut(const Node &node, const Body &body) {
  // A reshape of elements that lie in order is a view, so what it reads is put in order. (It was
  // made a node for a reader's sake, and that reader takes such a view.)
  if (auto reshape = dyn_cast<raf::ReshapeOp>(node.root())) {
    Operation *def = reshape.getX().getDefiningOp();
    if (def && !isa<raf::ConstantOp>(def)) {
      forceNode(reshape.getX());
      forced[reshape] = Part::Outside;
      return true;
    }
  }
  auto move = [&](bool onlyReshapes) {
    bool moved = false;
    for (Operation *op : body.ops) {
      if (op == node.root() || !isViewKind(op) || (onlyReshapes && !isa<raf::ReshapeOp>(op)))
        continue;
      ViewLayout layout = layoutOf(op->getResult(0));
      Operation *base = layout.base.getDefiningOp();
      bool isView = layout.base != op->getResult(0) &&
                    (!base || isa<raf::ConstantOp>(base) || partOf(base) == Part::Node);
      moved |= force(op, isView ? Part::Outside : Part::Node);
    }
    return moved;
  };
  return move(/*onlyReshapes=*/true) || move(/*onlyReshapes=*/false);
}

/// Each op must have a kernel by itself; when shape ops before it stand against that, they are
/// views between kernels, or computed by kernels of their own.
LogicalResult Graph::checkSingles(bool &changed) {
  LogicalResult result = success();
  for (auto [index, node] : llvm::enumerate(nodes)) {
    if (!node.isGenerated())
      continue;
    Body body = bodyOf({static_cast<int>(index)}, [](int) { return true; });
    std::string why;
    if (body.outputs.empty())
      body.outputs.assign(node.root()->result_begin(), node.root()->result_end());
    if (!mayGenerate(node.root()))
      why = "it has to move elements, which takes generated code";
    else if (gen::checkGroup(body.ops, body.outputs, &why))
      continue;
    bool moved = moveOut(node, body);
    changed |= moved;
    if (!moved)
      result = node.root()->emitError("no allowed operator dialect has a kernel for '")
               << node.root()->getName() << "': " << why;
  }
  return result;
}

} // namespace raf::cover
