#include "compiler/lower/to_loops/Nest.h"

using namespace mlir;

namespace raf::gen {

bool mayStoreOver(const Nest &nest, unsigned result, unsigned input) {
  const Store &store = nest.stores[result];
  const AxisMask items = (AxisMask{1} << nest.parallel) - 1;
  if ((store.axes & items) != items)
    return false;                                        // other items read it too
  llvm::SmallVector<int> lastRead(nest.nodes.size(), 0); // the latest sweep that needs a node
  auto needs = [&](unsigned node, int level) { lastRead[node] = std::max(lastRead[node], level); };
  for (const Store &s : nest.stores)
    needs(s.node, s.level);
  for (int i = static_cast<int>(nest.nodes.size()) - 1; i >= 0; --i) {
    const Node &node = nest.nodes[i];
    // What does not vary over the inner axes is computed once, before its sweep.
    const int at = node.kind == Node::Reduce ? node.level - 1
                   : nest.isInner(node.axes) ? lastRead[i]
                                             : node.level;
    for (unsigned o : node.operands)
      needs(o, at);
  }
  for (auto [i, node] : llvm::enumerate(nest.nodes)) {
    if (node.input != static_cast<int>(input))
      continue;
    if (node.kind != Node::Load || node.offset != 0 || node.strides != store.strides)
      return false;
    const int last = nest.isInner(node.axes) ? lastRead[i] : 0;
    if (last > store.level)
      return false;
  }
  return true;
}

std::string structureOf(const Nest &nest) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "axes " << nest.extents.size() << " parallel " << nest.parallel << " vector "
     << nest.vectorAxis << " unroll " << nest.unroll << " levels " << nest.levels << "\n";
  auto access = [&](llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int> params) {
    os << " [";
    for (auto [stride, param] : llvm::zip(strides, params))
      os << (param >= 0 ? "s" : stride ? "1" : "0");
    os << "]";
  };
  for (auto [i, node] : llvm::enumerate(nest.nodes)) {
    os << "%" << i << " " << static_cast<int>(node.kind) << " " << node.type;
    if (node.op)
      os << " " << node.op->getName();
    if (auto compare = dyn_cast_or_null<CompareOp>(node.op))
      os << " " << stringifyCompareKind(compare.getKind());
    for (unsigned operand : node.operands)
      os << " %" << operand;
    if (node.input >= 0)
      os << " in" << node.input;
    access(node.strides, node.strideParams);
    os << (node.offsetParam >= 0 ? " moved" : "");
    for (const Node::Guard &guard : node.guards)
      access(guard.strides, guard.strideParams);
    if (node.kind == Node::Constant && node.constantParam < 0)
      os << " " << (isa<FloatType>(node.type) ? node.number : node.integer);
    if (node.kind == Node::Random)
      os << (node.aligned ? " aligned" : "");
    os << (node.saved ? " saved\n" : "\n");
  }
  for (const Store &store : nest.stores) {
    os << "out" << store.result << " %" << store.node << " axes " << store.axes;
    access(store.strides, store.strideParams);
    os << "\n";
  }
  os << "operands " << nest.numInputs << " " << nest.numOutputs << "\n";
  return text;
}

} // namespace raf::gen
