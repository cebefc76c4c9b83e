#include "compiler/schedule/Copies.h"

#include "compiler/lower/to_loops/Gen.h"
#include "compiler/schedule/Graph.h"

using namespace mlir;

namespace raf::schedule {
namespace {

/// A gen.kernel that yields its input: a contiguous copy of `x`.
Value copyOf(OpBuilder &b, Location loc, Value x) {
  auto kernel = b.create<gen::KernelOp>(loc, TypeRange{x.getType()}, ValueRange{x});
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&kernel.getBody(), {}, {x.getType()}, {loc});
  b.create<gen::YieldOp>(loc, body->getArguments());
  return kernel.getResult(0);
}

void copyOperands(func::FuncOp func) {
  OpBuilder b(func.getContext());
  for (Operation &op : func.front().without_terminator()) {
    b.setInsertionPoint(&op);
    if (isViewKind(&op) && !isView(&op))
      op.setOperand(0, copyOf(b, op.getLoc(), op.getOperand(0)));
    auto kernel = dyn_cast<KernelOpInterface>(op);
    if (!kernel)
      continue;
    for (OpOperand &operand : op.getOpOperands()) {
      ViewLayout view = viewLayout(operand.get());
      llvm::ArrayRef<int64_t> shape = shapeOf(operand.get());
      if (!view.isContiguous(shape) &&
          !kernel.acceptsStrides(operand.getOperandNumber(), shape, view.strides))
        operand.set(copyOf(b, op.getLoc(), operand.get()));
    }
  }
}

/// Results: outputs lie contiguously where nobody overwrites them, updates are kernels' own
/// results.
void copyResults(func::FuncOp func) {
  Operation *terminator = returnOf(func);
  OpBuilder b(terminator);
  llvm::SmallVector<BlockArgument> updated = updatedArguments(func);
  llvm::DenseSet<Value> overwritten, claimed;
  for (auto [argument, operand] : llvm::zip(updated, terminator->getOperands()))
    if (argument && argument != operand)
      overwritten.insert(argument);

  for (OpOperand &operand : terminator->getOpOperands()) {
    Value value = operand.get();
    if (BlockArgument state = updated[operand.getOperandNumber()]) {
      Operation *producer = value.getDefiningOp();
      if (value != state && (!producer || !isKernel(producer) || !claimed.insert(value).second))
        operand.set(copyOf(b, func.getLoc(), value));
      continue;
    }
    ViewLayout view = viewLayout(value);
    bool input = isa<BlockArgument>(view.base) && stateName(view.base).empty();
    if (input || overwritten.contains(view.base) || !view.isContiguous(shapeOf(value)))
      operand.set(copyOf(b, func.getLoc(), value));
  }
}

/// Old state values that are read when or after their successor is written are saved first.
void saveOldState(func::FuncOp func) {
  Graph graph = dataGraph(func);
  for (const Donation &donation : donationsOf(func)) {
    Operation *writer = donation.update.getOwner();
    llvm::SmallVector<Operation *> late;
    for (Operation *reader : readersOf(donation.state)) {
      bool inTime = reader == writer
                        ? canOverwrite(writer, donation.update.getResultNumber(), donation.state)
                        : !graph.reaches(graph.index.lookup(writer), graph.index.lookup(reader));
      if (!inTime)
        late.push_back(reader);
      else
        graph.addEdge(graph.index.lookup(reader), graph.index.lookup(writer));
    }
    if (late.empty())
      continue;

    OpBuilder b = OpBuilder::atBlockBegin(&func.front());
    Value saved = copyOf(b, func.getLoc(), donation.state);
    // Views are rebuilt on the copy for the late readers only: others may read the state itself.
    for (Operation *reader : late)
      for (OpOperand &operand : reader->getOpOperands()) {
        if (rootOf(operand.get()) != donation.state)
          continue;
        llvm::SmallVector<Operation *> views;
        for (Value v = operand.get(); v != donation.state; v = v.getDefiningOp()->getOperand(0))
          views.push_back(v.getDefiningOp());
        b.setInsertionPoint(reader);
        Value replacement = saved;
        for (Operation *view : llvm::reverse(views)) {
          Operation *clone = b.clone(*view);
          clone->setOperand(0, replacement);
          replacement = clone->getResult(0);
        }
        operand.set(replacement);
      }
    // The copy is a node of its own that reads the state before the writer.
    int node = static_cast<int>(graph.kernels.size());
    graph.index[saved.getDefiningOp()] = node;
    graph.kernels.push_back(saved.getDefiningOp());
    graph.successors.emplace_back();
    graph.predecessors.emplace_back();
    graph.addEdge(node, graph.index.lookup(writer));
    for (Operation *reader : late)
      graph.addEdge(node, graph.index.lookup(reader));
  }
}

void eraseDead(func::FuncOp func) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// One element stands for a constant whose elements are all equal.
void shrinkSplats(func::FuncOp func) {
  for (ConstantOp constant : llvm::make_early_inc_range(func.getOps<ConstantOp>())) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense || !dense.isSplat() || dense.getNumElements() < 2)
      continue;
    OpBuilder b(constant);
    auto type = RankedTensorType::get({}, dense.getElementType());
    auto element = b.create<ConstantOp>(constant.getLoc(), type, dense.resizeSplat(type));
    auto all = b.create<BroadcastOp>(constant.getLoc(), constant.getType(), element,
                                     b.getDenseI64ArrayAttr({}));
    constant.replaceAllUsesWith(all.getResult());
    constant.erase();
  }
}

struct InsertCopiesPass : PassWrapper<InsertCopiesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertCopiesPass)
  llvm::StringRef getArgument() const override { return "raf-insert-copies"; }
  llvm::StringRef getDescription() const override {
    return "insert the copies without which views and in-place updates would be wrong";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<gen::GenDialect>();
  }
  void runOnOperation() override {
    if (failed(insertCopies(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult insertCopies(func::FuncOp func) {
  if (failed(checkCovered(func)))
    return failure();
  eraseDead(func);
  shrinkSplats(func);
  copyOperands(func);
  copyResults(func);
  saveOldState(func);
  eraseDead(func);
  return success();
}

std::unique_ptr<Pass> createInsertCopiesPass() { return std::make_unique<InsertCopiesPass>(); }

} // namespace raf::schedule
