#include "compiler/import/Loss.h"

#include "common/Error.h"
#include "compiler/differentiate/Functions.h"

#include <fmt/format.h>
#include <functional>

using namespace mlir;

namespace raf {
namespace {

using Build = std::function<Value(OpBuilder &, Location, Value output, Value labels)>;

template <class Op, class... Extra> Build pairLoss(Extra... extra) {
  return [=](OpBuilder &b, Location loc, Value output, Value labels) -> Value {
    return b.create<Op>(loc, output, labels, Reduction::mean, extra...);
  };
}

Value crossEntropy(OpBuilder &b, Location loc, Value output, Value labels) {
  const int64_t classes = shapeOf(output).back();
  const int64_t samples = tensorType(labels).getNumElements();
  auto flat = [&](Value v, llvm::ArrayRef<int64_t> shape) -> Value {
    if (shapeOf(v) == shape)
      return v;
    return b.create<ReshapeOp>(loc, tensorType(v).clone(shape), v);
  };
  return b
      .create<CrossEntropyOp>(loc, flat(output, {samples, classes}), flat(labels, {samples}),
                              Value(), Reduction::mean, int64_t{-100}, llvm::APFloat(0.0))
      .getLoss();
}

const std::map<std::string, Build> &losses() {
  // Deltas are torch's defaults.
  static const std::map<std::string, Build> all = {
      {"cross_entropy", crossEntropy},
      {"mse_loss", pairLoss<MseLossOp>()},
      {"l1_loss", pairLoss<L1LossOp>()},
      {"huber_loss", pairLoss<HuberLossOp>(llvm::APFloat(1.0))},
      {"smooth_l1_loss", pairLoss<SmoothL1LossOp>(llvm::APFloat(1.0))},
      {"binary_cross_entropy", pairLoss<BceLossOp>()},
      {"binary_cross_entropy_with_logits", pairLoss<BceWithLogitsLossOp>()},
      {"kl_div", pairLoss<KlDivLossOp>(false)}};
  return all;
}

bool isScalar(Value v) { return rankOf(v) == 0; }

/// The input "labels", which has this type, or a new one.
BlockArgument labelsOf(func::FuncOp forward, RankedTensorType type) {
  for (unsigned i = 0; i < forward.getNumArguments(); ++i) {
    if (argumentName(forward, i) != "labels")
      continue;
    if (forward.getArgument(i).getType() != type) {
      std::string expected, got;
      llvm::raw_string_ostream(expected) << type;
      llvm::raw_string_ostream(got) << forward.getArgument(i).getType();
      throw ShapeError(
          fmt::format("loss: expected an input \"labels\" of type {}, but got {}", expected, got));
    }
    return forward.getArgument(i);
  }
  Builder b(forward.getContext());
  const unsigned end = forward.getNumArguments();
  forward.insertArgument(
      end, type,
      b.getDictionaryAttr({b.getNamedAttr(names::kName, b.getStringAttr("labels")),
                           b.getNamedAttr(names::kKind, b.getStringAttr("input"))}),
      forward.getLoc());
  return forward.getArgument(end);
}

} // namespace

void appendLoss(ModuleOp module, const std::string &name) {
  auto found = losses().find(name);
  if (found == losses().end()) {
    std::string known;
    for (const auto &[loss, build] : losses())
      known += (known.empty() ? "" : ", ") + loss;
    throw UsageError(fmt::format("expected a loss ({}), but got \"{}\"", known, name));
  }
  auto forward = module.lookupSymbol<func::FuncOp>("forward");
  std::vector<FunctionResult> results = resultsOf(forward);
  auto output = llvm::find_if(results, [](const FunctionResult &r) {
    return r.updates().empty() && !isScalar(r.value) && isa<FloatType>(elementType(r.value));
  });
  if (output == results.end())
    throw ShapeError(
        fmt::format("loss: expected an output for {} to measure, but the model has none", name));

  OpBuilder b(forward.front().getTerminator());
  RankedTensorType type = tensorType(output->value);
  if (name == "cross_entropy")
    type = RankedTensorType::get(type.getShape().drop_back(), b.getI64Type());
  Value labels = labelsOf(forward, type);
  Location loc = NameLoc::get(b.getStringAttr("loss"), output->value.getLoc());
  FunctionResult loss = namedResult(found->second(b, loc, output->value, labels), "loss");
  llvm::erase_if(results, [](const FunctionResult &r) {
    return r.updates().empty() && (r.name() == "loss" || isScalar(r.value));
  });
  results.insert(results.begin(), loss);
  setResults(forward, results);
}

} // namespace raf
