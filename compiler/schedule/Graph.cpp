#include "compiler/schedule/Graph.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace raf::schedule {

void Graph::addEdge(int from, int to) {
  if (from == to || llvm::is_contained(successors[from], to))
    return;
  successors[from].push_back(to);
  predecessors[to].push_back(from);
}

bool Graph::reaches(int from, int to) const {
  llvm::BitVector seen(kernels.size());
  llvm::SmallVector<int> stack = {from};
  while (!stack.empty()) {
    int node = stack.pop_back_val();
    if (node == to)
      return true;
    if (seen.test(node))
      continue;
    seen.set(node);
    llvm::append_range(stack, successors[node]);
  }
  return false;
}

Graph dataGraph(func::FuncOp func) {
  Graph graph;
  for (Operation &op : func.front())
    if (isKernel(&op)) {
      graph.index[&op] = static_cast<int>(graph.kernels.size());
      graph.kernels.push_back(&op);
    }
  graph.successors.resize(graph.kernels.size());
  graph.predecessors.resize(graph.kernels.size());
  for (auto [i, kernel] : llvm::enumerate(graph.kernels))
    for (Value operand : kernel->getOperands())
      if (Operation *producer = rootOf(operand).getDefiningOp(); producer && isKernel(producer))
        graph.addEdge(graph.index.lookup(producer), static_cast<int>(i));
  return graph;
}

llvm::SmallVector<Operation *> readersOf(Value root) {
  llvm::SmallSetVector<Operation *, 4> readers;
  llvm::SmallVector<Value> aliases = {root};
  while (!aliases.empty())
    for (Operation *user : aliases.pop_back_val().getUsers()) {
      if (isKernel(user))
        readers.insert(user);
      else if (isViewKind(user))
        aliases.push_back(user->getResult(0));
    }
  llvm::SmallVector<Operation *> sorted(readers.begin(), readers.end());
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sorted;
}

llvm::SmallVector<Donation> donationsOf(func::FuncOp func) {
  llvm::SmallVector<Donation> donations;
  for (auto [argument, value] : llvm::zip(updatedArguments(func), returnOf(func)->getOperands())) {
    auto result = dyn_cast<OpResult>(value);
    if (argument && result && isKernel(result.getOwner()))
      donations.push_back({argument, result});
  }
  return donations;
}

bool canOverwrite(Operation *kernel, unsigned result, Value root) {
  for (OpOperand &operand : kernel->getOpOperands()) {
    ViewLayout layout = viewLayout(operand.get());
    if (layout.base != root)
      continue;
    if (layout.offset != 0 || bytesOf(operand.get()) != bytesOf(root) ||
        !layout.isContiguous(shapeOf(operand.get())) ||
        bytesOf(root) != bytesOf(kernel->getResult(result)) ||
        !cast<KernelOpInterface>(kernel).mayOverwrite(operand.getOperandNumber(), result))
      return false;
  }
  return true;
}

} // namespace raf::schedule
