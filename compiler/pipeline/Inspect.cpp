#include "compiler/pipeline/Inspect.h"

#include "compiler/differentiate/Differentiate.h"
#include "compiler/ir/Views.h"

#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <fmt/format.h>

using namespace mlir;

namespace raf {
namespace {

func::FuncOp forwardOf(ModuleOp module) { return module.lookupSymbol<func::FuncOp>("forward"); }

std::string textOf(DictionaryAttr attributes, llvm::StringRef key) {
  auto text = attributes ? attributes.getAs<StringAttr>(key) : StringAttr();
  return text ? text.str() : std::string();
}

TensorSpec specOf(Type type, DictionaryAttr attributes) {
  auto tensor = cast<RankedTensorType>(type);
  return {textOf(attributes, names::kName), dtypeOf(tensor.getElementType()),
          tensor.getShape().vec(), textOf(attributes, names::kKind),
          textOf(attributes, names::kInit)};
}

/// Bytes of what the forward computes and the derivative reads again, were every value kept. 0 for
/// a model that has no derivative.
uint64_t keptBytes(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
  PassManager pm(module.getContext());
  pm.addPass(createDifferentiatePass());
  if (failed(pm.run(*copy)))
    return 0;
  auto func = copy->lookupSymbol<func::FuncOp>("value_and_grad");
  Operation *terminator = func.front().getTerminator();
  Operation *loss = terminator->getOperand(0).getDefiningOp();
  if (!loss)
    return 0;
  // The derivative is built behind the loss.
  uint64_t bytes = 0;
  llvm::DenseSet<Value> kept;
  for (Operation *op = loss->getNextNode(); op && op != terminator; op = op->getNextNode())
    for (Value operand : op->getOperands()) {
      Value base = viewLayout(operand).base;
      Operation *producer = base.getDefiningOp();
      if (producer && !isa<ConstantOp>(producer) &&
          (producer == loss || producer->isBeforeInBlock(loss)) && kept.insert(base).second)
        bytes += static_cast<uint64_t>(countBytes({base.getType()}));
    }
  return bytes;
}

std::string shapeText(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::interleave(tensor.getShape(), out, "x");
  out << (tensor.getRank() ? " " : "") << tensor.getElementType();
  return text;
}

std::string quoted(llvm::StringRef text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + '"';
}

} // namespace

ModelInfo describeModel(ModuleOp module, const std::string &name) {
  func::FuncOp forward = forwardOf(module);
  ModelInfo info;
  info.name = name;
  for (BlockArgument argument : forward.getArguments()) {
    TensorSpec spec = specOf(argument.getType(), forward.getArgAttrDict(argument.getArgNumber()));
    if (spec.kind != "param" && spec.kind != "buffer") {
      info.inputs.push_back(std::move(spec));
      continue;
    }
    if (spec.kind == "param") {
      info.parameterCount += tensorType(argument).getNumElements();
      info.parameterBytes += static_cast<uint64_t>(countBytes({argument.getType()}));
    }
    info.parameters.push_back(std::move(spec));
  }
  for (unsigned i = 0; i < forward.getNumResults(); ++i) {
    if (forward.getResultAttr(i, names::kUpdates))
      continue;
    info.outputs.push_back(specOf(forward.getResultTypes()[i], forward.getResultAttrDict(i)));
    info.outputs.back().kind = "output";
  }
  std::map<std::string, int64_t> census;
  for (Operation &op : forward.front().without_terminator()) {
    if (auto cost = dyn_cast<CostOpInterface>(op))
      info.forwardFlops += cost.getFlops();
    ++census[op.getName().getStringRef().str()];
  }
  info.opCensus.assign(census.begin(), census.end());
  std::ranges::stable_sort(info.opCensus, std::greater(), &std::pair<std::string, int64_t>::second);
  info.activationBytes = keptBytes(module);
  return info;
}

std::string graphOf(ModuleOp module) {
  func::FuncOp forward = forwardOf(module);
  std::string text = "digraph forward {\n  node [shape=box, fontname=\"Helvetica\"];\n";
  llvm::DenseMap<Value, std::string> nodes;
  int next = 0;
  for (BlockArgument argument : forward.getArguments()) {
    DictionaryAttr attributes = forward.getArgAttrDict(argument.getArgNumber());
    std::string node = fmt::format("n{}", next++);
    text += fmt::format(
        "  {} [shape=ellipse, label={}];\n", node,
        quoted(textOf(attributes, names::kName) + "\n" + shapeText(argument.getType())));
    nodes[argument] = node;
  }
  auto connect = [&](Operation &op, const std::string &node) {
    for (Value operand : op.getOperands())
      text += fmt::format("  {} -> {} [label={}];\n", nodes.lookup(operand), node,
                          quoted(shapeText(operand.getType())));
  };
  for (Operation &op : forward.front().without_terminator()) {
    std::string node = fmt::format("n{}", next++);
    text += fmt::format("  {} [label={}];\n", node, quoted(op.getName().stripDialect()));
    connect(op, node);
    for (Value result : op.getResults())
      nodes[result] = node;
  }
  text += "  results [shape=ellipse];\n";
  connect(*forward.front().getTerminator(), "results");
  return text + "}\n";
}

} // namespace raf
