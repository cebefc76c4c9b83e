#include "compiler/schedule/Order.h"

#include "compiler/schedule/Graph.h"

#include <numeric>
#include <set>

using namespace mlir;

namespace raf::schedule {
namespace {

using Order = llvm::SmallVector<int>;

/// What an order costs: the bytes of kernel results alive at once. Results that replace a state lie
/// in the state's memory and cost nothing.
class MemoryModel {
public:
  MemoryModel(func::FuncOp func, const Graph &graph) : nodes(graph.kernels.size()) {
    llvm::DenseSet<Value> inState, outputs;
    for (const Donation &donation : donationsOf(func))
      inState.insert(donation.update);
    for (Value v : returnOf(func)->getOperands())
      outputs.insert(rootOf(v));
    llvm::DenseMap<Value, int> bufferOf;
    for (auto [i, kernel] : llvm::enumerate(graph.kernels)) {
      for (Value result : kernel->getResults()) {
        if (inState.contains(result))
          continue;
        int buffer = static_cast<int>(buffers.size());
        bufferOf[result] = buffer;
        buffers.push_back({alignUp(bytesOf(result)), 0, outputs.contains(result)});
        nodes[i].makes.push_back(buffer);
      }
    }
    for (auto [i, kernel] : llvm::enumerate(graph.kernels)) {
      for (Value operand : kernel->getOperands()) {
        auto found = bufferOf.find(rootOf(operand));
        if (found == bufferOf.end() || llvm::is_contained(nodes[i].reads, found->second))
          continue;
        nodes[i].reads.push_back(found->second);
        ++buffers[found->second].readers;
      }
      for (OpResult result : kernel->getResults())
        for (Value operand : kernel->getOperands())
          if (auto made = bufferOf.find(result), read = bufferOf.find(rootOf(operand));
              made != bufferOf.end() && read != bufferOf.end() &&
              canOverwrite(kernel, result.getResultNumber(), rootOf(operand)))
            nodes[i].inPlace.push_back({read->second, made->second});
    }
  }

  /// Walks an order, knowing at each point what is alive.
  class Walk {
  public:
    explicit Walk(const MemoryModel &model) : model(model) {
      for (const Buffer &buffer : model.buffers)
        readersLeft.push_back(buffer.readers);
    }
    /// Change of live bytes when `node` ran now.
    int64_t delta(int node) const {
      int64_t bytes = 0;
      for (int made : model.nodes[node].makes)
        if (model.buffers[made].readers > 0 || model.buffers[made].output)
          bytes += static_cast<int64_t>(model.buffers[made].bytes);
      for (int read : model.nodes[node].reads)
        if (dies(read))
          bytes -= static_cast<int64_t>(model.buffers[read].bytes);
      return bytes;
    }
    void run(int node) {
      int64_t during = live;
      llvm::SmallVector<int> reused;
      for (int made : model.nodes[node].makes) {
        bool overDead = false;
        for (auto [read, result] : model.nodes[node].inPlace)
          if (result == made && dies(read) && !llvm::is_contained(reused, read)) {
            reused.push_back(read);
            overDead = true;
            break;
          }
        if (!overDead)
          during += static_cast<int64_t>(model.buffers[made].bytes);
      }
      peak = std::max(peak, during);
      live += delta(node);
      for (int read : model.nodes[node].reads)
        --readersLeft[read];
    }
    int64_t peak = 0;

  private:
    bool dies(int buffer) const {
      return readersLeft[buffer] == 1 && !model.buffers[buffer].output;
    }
    const MemoryModel &model;
    std::vector<int> readersLeft;
    int64_t live = 0;
  };

  int64_t peakOf(const Order &order) const {
    Walk walk(*this);
    for (int node : order)
      walk.run(node);
    return walk.peak;
  }

  /// Of each node of an order, whether it makes more than dies with it.
  llvm::BitVector growing(const Order &order) const {
    std::vector<int> lastReader(buffers.size(), -1);
    for (int node : order)
      for (int read : nodes[node].reads)
        lastReader[read] = node;
    llvm::BitVector grows(static_cast<unsigned>(nodes.size()));
    for (int node : order) {
      int64_t bytes = 0;
      for (int made : nodes[node].makes)
        bytes += static_cast<int64_t>(buffers[made].bytes);
      for (int read : nodes[node].reads)
        if (lastReader[read] == node && !buffers[read].output)
          bytes -= static_cast<int64_t>(buffers[read].bytes);
      grows[node] = bytes > 0;
    }
    return grows;
  }

private:
  struct Buffer {
    uint64_t bytes;
    int readers;
    bool output;
  };
  struct Node {
    llvm::SmallVector<int> makes, reads;
    llvm::SmallVector<std::pair<int, int>> inPlace; // (read buffer, made buffer)
  };
  std::vector<Node> nodes;
  std::vector<Buffer> buffers;
};

/// Kahn's algorithm; `pick` chooses among the ready nodes, which are sorted by their given order.
template <class Pick> Order listSchedule(const Graph &graph, const MemoryModel &model, Pick pick) {
  std::vector<size_t> waiting;
  std::set<int> ready;
  for (auto [i, predecessors] : llvm::enumerate(graph.predecessors)) {
    waiting.push_back(predecessors.size());
    if (predecessors.empty())
      ready.insert(static_cast<int>(i));
  }
  Order order;
  MemoryModel::Walk walk(model);
  while (!ready.empty()) {
    int node = pick(ready, walk);
    ready.erase(node);
    walk.run(node);
    order.push_back(node);
    for (int next : graph.successors[node])
      if (--waiting[next] == 0)
        ready.insert(next);
  }
  return order;
}

/// The given order, as far as the edges of overwritten states allow it.
int pickFirst(const std::set<int> &ready, const MemoryModel::Walk &) { return *ready.begin(); }

/// Whatever frees memory at once (an optimizer update after its gradient, say), else the given
/// order.
int pickFreeing(const std::set<int> &ready, const MemoryModel::Walk &walk) {
  for (int node : ready)
    if (walk.delta(node) < 0)
      return node;
  return *ready.begin();
}

/// Always the kernel that adds least.
int pickLeast(const std::set<int> &ready, const MemoryModel::Walk &walk) {
  int best = *ready.begin();
  int64_t least = walk.delta(best);
  for (int node : ready)
    if (int64_t delta = walk.delta(node); delta < least) {
      best = node;
      least = delta;
    }
  return best;
}

/// Every kernel as late as its first reader allows: sinks of `order` in turn, each after what it
/// needs.
Order onDemand(const Graph &graph, const Order &order) {
  llvm::SmallVector<int> rank(order.size());
  for (auto [position, node] : llvm::enumerate(order))
    rank[node] = static_cast<int>(position);
  llvm::BitVector done(static_cast<unsigned>(order.size()));
  Order result;
  for (int sink : order) {
    if (!graph.successors[sink].empty())
      continue;
    // Depth first without recursion: a step's chain of kernels may be thousands long.
    llvm::SmallVector<int> stack = {sink};
    while (!stack.empty()) {
      int node = stack.back();
      if (done.test(node)) {
        stack.pop_back();
        continue;
      }
      llvm::SmallVector<int> missing;
      for (int before : graph.predecessors[node])
        if (!done.test(before))
          missing.push_back(before);
      if (missing.empty()) {
        done.set(node);
        result.push_back(node);
        stack.pop_back();
        continue;
      }
      // The one that comes first in `order` is pushed last, so that it is done first.
      llvm::sort(missing, [&](int a, int b) { return rank[a] > rank[b]; });
      llvm::append_range(stack, missing);
    }
  }
  return result;
}

/// Kernels that make more than dies with them go to just before their first reader.
Order sink(const Graph &graph, const MemoryModel &model, const Order &order) {
  llvm::BitVector grows = model.growing(order);
  Order late; // from the end to the front
  for (int node : llvm::reverse(order)) {
    auto at = late.end();
    if (grows[node] && !graph.successors[node].empty())
      while (!llvm::is_contained(graph.successors[node], *(at - 1)))
        --at;
    late.insert(at, node);
  }
  std::reverse(late.begin(), late.end());
  return late;
}

/// Moves kernels into `order`, each view and constant to just before its first user.
void rebuild(func::FuncOp func, const Graph &graph, const Order &order) {
  Operation *terminator = returnOf(func);
  llvm::DenseSet<Operation *> placed;
  llvm::SmallVector<Operation *> sequence;
  auto place = [&](Operation *op, auto &&self) -> void {
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          producer && !isKernel(producer) && placed.insert(producer).second)
        self(producer, self);
    sequence.push_back(op);
  };
  for (int node : order)
    place(graph.kernels[node], place);
  place(terminator, place);
  sequence.pop_back();
  for (Operation *op : sequence)
    op->moveBefore(terminator);
  // What nobody uses has not been moved and stands in front: the users before what they use.
  llvm::SmallVector<Operation *> unused;
  for (Operation &op : func.front()) {
    if (isKernel(&op) || &op == terminator || placed.contains(&op))
      break;
    unused.push_back(&op);
  }
  for (Operation *op : llvm::reverse(unused))
    op->erase();
}

struct SchedulePass : PassWrapper<SchedulePass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SchedulePass)
  llvm::StringRef getArgument() const override { return "raf-schedule"; }
  llvm::StringRef getDescription() const override {
    return "order kernels for a low peak of live memory";
  }
  void runOnOperation() override {
    if (failed(scheduleKernels(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult scheduleKernels(func::FuncOp func) {
  if (failed(checkCovered(func)))
    return failure();
  Graph graph = dataGraph(func);
  for (const Donation &donation : donationsOf(func))
    for (Operation *reader : readersOf(donation.state))
      graph.addEdge(graph.index.lookup(reader), graph.index.lookup(donation.update.getOwner()));

  MemoryModel model(func, graph);
  Order given = listSchedule(graph, model, pickFirst);
  if (given.size() != graph.kernels.size())
    return func.emitOpError("an old state value is read after it must be overwritten")
               .attachNote(func.getLoc())
           << "raf-insert-copies saves such values";
  Order freeing = listSchedule(graph, model, pickFreeing);
  Order best = given;
  int64_t least = model.peakOf(given);
  auto consider = [&](const Order &order) {
    if (int64_t peak = model.peakOf(order); peak < least) {
      best = order;
      least = peak;
    }
  };
  for (const Order &order : {given, freeing, onDemand(graph, given), onDemand(graph, freeing),
                             listSchedule(graph, model, pickLeast)}) {
    consider(order);
    consider(sink(graph, model, order));
  }
  rebuild(func, graph, best);
  return success();
}

std::unique_ptr<Pass> createSchedulePass() { return std::make_unique<SchedulePass>(); }

} // namespace raf::schedule
