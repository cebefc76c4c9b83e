#include "compiler/cover/Rewrite.h"

#include "compiler/cover/Cover.h"
#include "compiler/lower/to_loops/Gen.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace raf::cover {

namespace {

class Rewriter {
public:
  Rewriter(func::FuncOp function, const Graph &graph, const Groups &groups)
      : graph(graph), groups(groups), block(function.getBody().front()),
        builder(OpBuilder::atBlockTerminator(&block)) {}

  llvm::SmallVector<Piece> run() {
    llvm::SmallVector<Operation *> old;
    for (Operation &op : block.without_terminator())
      old.push_back(&op);
    for (int group : groups.inOrder()) {
      const Node &node = graph.nodes[groups.groups[group].nodes.front()];
      if (node.isLibrary())
        emitLibrary(node);
      else if (node.isGenerated())
        emitGenerated(group);
    }
    Operation *end = block.getTerminator();
    for (OpOperand &operand : end->getOpOperands())
      operand.set(lookup(operand.get()));
    for (Operation *op : llvm::reverse(old))
      op->erase();
    return std::move(pieces);
  }

private:
  /// The value after the cover: views and constants between kernels are made when first needed.
  Value lookup(Value value) {
    if (Value found = map.lookupOrNull(value))
      return found;
    Operation *op = value.getDefiningOp();
    if (!op)
      return value;
    assert((isViewKind(op) || isa<raf::ConstantOp>(op)) &&
           "a kernel's result is made before its readers");
    for (Value operand : op->getOperands())
      lookup(operand);
    return builder.clone(*op, map)->getResult(0);
  }

  void finish(Operation *kernel, double seconds, llvm::StringRef runnerUp, double runnerUpSeconds) {
    kernel->setAttr(names::kSeconds, builder.getF64FloatAttr(seconds));
    if (!runnerUp.empty())
      kernel->setAttr(names::kRunnerUp, builder.getStringAttr(runnerUp));
    pieces.push_back({kernel, seconds, runnerUp.str(), runnerUpSeconds});
  }

  Location locationOf(llvm::ArrayRef<Operation *> ops) {
    llvm::SmallVector<Location> locations;
    for (Operation *op : ops)
      if (!isViewKind(op) && !isa<raf::ConstantOp>(op))
        locations.push_back(op->getLoc());
    return locations.empty() ? ops.back()->getLoc() : builder.getFusedLoc(locations);
  }

  void emitLibrary(const Node &node) {
    const Proposal &proposal = node.claim->proposal;
    llvm::SmallVector<Value> operands;
    for (Value operand : proposal.operands)
      operands.push_back(lookup(operand));
    llvm::SmallVector<Value> results = proposal.build(builder, locationOf(proposal.ops), operands);
    map.map(node.root()->getResults(), ValueRange(results));
    Operation *kernel = results.front().getDefiningOp();
    while (isViewKind(kernel))
      kernel = kernel->getOperand(0).getDefiningOp();
    finish(kernel, proposal.seconds, node.claim->runnerUp, node.claim->runnerUpSeconds);
  }

  void emitGenerated(int group) {
    Body body = groups.bodyOf(group);
    if (body.outputs.empty())
      return;
    llvm::SmallVector<Value> inputs;
    for (Value input : body.inputs)
      inputs.push_back(lookup(input));
    auto kernel = builder.create<gen::KernelOp>(locationOf(body.ops),
                                                ValueRange(body.outputs).getTypes(), inputs);
    Block *inner = builder.createBlock(&kernel.getBody());
    IRMapping inside;
    for (auto [input, value] : llvm::zip(body.inputs, inputs))
      inside.map(input, inner->addArgument(value.getType(), value.getLoc()));
    for (Operation *op : body.ops)
      builder.clone(*op, inside);
    llvm::SmallVector<Value> yielded;
    for (Value output : body.outputs)
      yielded.push_back(inside.lookup(output));
    builder.create<gen::YieldOp>(kernel.getLoc(), yielded);
    builder.setInsertionPoint(block.getTerminator());
    map.map(body.outputs, kernel.getResults());
    // A group with an op that a library also offered says so.
    for (int member : groups.groups[group].nodes)
      if (const Claim *claim = graph.nodes[member].claim)
        return finish(kernel, groups.secondsOf(body), claim->runnerUp, claim->runnerUpSeconds);
    finish(kernel, groups.secondsOf(body), "", 0);
  }

  const Graph &graph;
  const Groups &groups;
  Block &block;
  OpBuilder builder;
  IRMapping map;
  llvm::SmallVector<Piece> pieces;
};

} // namespace

llvm::SmallVector<Piece> rewrite(func::FuncOp function, const Graph &graph, const Groups &groups) {
  return Rewriter(function, graph, groups).run();
}

} // namespace raf::cover
