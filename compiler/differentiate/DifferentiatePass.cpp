#include "compiler/differentiate/Differentiate.h"
#include "compiler/differentiate/Functions.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace raf {
namespace {

/// forward(params, buffers, inputs, key) -> (loss, outputs, updates) becomes
/// value_and_grad(the same) -> (loss, [outputs], a gradient per trainable parameter and per
/// requested input, updates).
struct DifferentiatePass : PassWrapper<DifferentiatePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DifferentiatePass)

  DifferentiatePass() = default;
  DifferentiatePass(const DifferentiatePass &other) : PassWrapper(other) {}
  explicit DifferentiatePass(const DifferentiateOptions &o) {
    function = o.function;
    result = o.result;
    loss = o.loss;
    outputs = o.outputs;
    inputs = o.inputs;
  }
  llvm::StringRef getArgument() const override { return "raf-differentiate"; }
  llvm::StringRef getDescription() const override {
    return "build the function that computes the loss and its gradients";
  }

  Option<std::string> function{*this, "function", llvm::cl::desc("what is differentiated"),
                               llvm::cl::init("forward")};
  Option<std::string> result{*this, "result", llvm::cl::desc("name of the new function"),
                             llvm::cl::init("value_and_grad")};
  Option<std::string> loss{*this, "loss",
                           llvm::cl::desc("result to differentiate; empty: the first")};
  Option<bool> outputs{*this, "outputs", llvm::cl::desc("keep the other results"),
                       llvm::cl::init(false)};
  ListOption<std::string> inputs{*this, "inputs", llvm::cl::desc("inputs that need gradients")};

  void runOnOperation() override {
    func::FuncOp forward = lookupFunction(getOperation(), function);
    if (!forward)
      return signalPassFailure();
    std::optional<size_t> lossIndex = findLoss(forward);
    std::optional<std::vector<unsigned>> wrt = findWrt(forward);
    if (!lossIndex || !wrt)
      return signalPassFailure();

    func::FuncOp f = copyFunction(getOperation(), forward, result);
    llvm::SmallVector<Value> arguments;
    for (unsigned i : *wrt)
      arguments.push_back(f.getArgument(i));
    auto gradients = buildGradients(resultsOf(f)[*lossIndex].value, arguments);
    if (failed(gradients)) {
      f.erase();
      return signalPassFailure();
    }

    // Read again: differentiation may have replaced what is returned by decompositions.
    std::vector<FunctionResult> old = resultsOf(f), results{old[*lossIndex]};
    for (auto [i, r] : llvm::enumerate(old))
      if (outputs && i != *lossIndex && r.updates().empty())
        results.push_back(r);
    OpBuilder b(f.getBody().front().getTerminator());
    for (auto [i, argument, gradient] : llvm::zip(*wrt, arguments, *gradients))
      results.push_back(
          namedResult(gradient ? gradient : splat(b, argument.getLoc(), 0, tensorType(argument)),
                      ("grad/" + argumentName(f, i)).str()));
    for (const FunctionResult &r : old)
      if (!r.updates().empty())
        results.push_back(r);
    setResults(f, results);
  }

private:
  std::optional<size_t> findLoss(func::FuncOp f) {
    std::vector<FunctionResult> results = resultsOf(f);
    for (auto [i, r] : llvm::enumerate(results)) {
      if (!loss.empty() ? r.name() != loss : i != 0)
        continue;
      auto type = dyn_cast<RankedTensorType>(r.value.getType());
      if (type && type.getRank() == 0 && isa<FloatType>(type.getElementType()))
        return i;
      f.emitOpError("expected the loss '")
          << r.name() << "' to be a rank-0 float tensor, but got " << r.value.getType();
      return std::nullopt;
    }
    if (loss.empty())
      f.emitOpError("expected a loss as first result, but it returns nothing");
    else
      f.emitOpError("expected a result named '") << loss << "' to differentiate";
    return std::nullopt;
  }

  /// Trainable parameters, then requested inputs, as argument numbers.
  std::optional<std::vector<unsigned>> findWrt(func::FuncOp f) {
    std::vector<unsigned> wrt;
    auto isFloat = [&](unsigned i) { return isa<FloatType>(elementType(f.getArgument(i))); };
    for (unsigned i = 0; i < f.getNumArguments(); ++i)
      if (argumentKind(f, i) == "param" && !hasArgumentFlag(f, i, names::kFrozen) && isFloat(i))
        wrt.push_back(i);
    for (const std::string &name : inputs) {
      unsigned i = 0;
      while (i < f.getNumArguments() && argumentName(f, i) != name)
        ++i;
      if (i == f.getNumArguments() || !isFloat(i)) {
        auto error = f.emitOpError("expected a float input named '") << name << "'";
        if (i < f.getNumArguments())
          error << ", but got " << f.getArgument(i).getType();
        return std::nullopt;
      }
      if (!llvm::is_contained(wrt, i))
        wrt.push_back(i);
    }
    if (wrt.empty()) {
      f.emitOpError("has nothing to differentiate: expected a trainable parameter or an input that "
                    "needs a gradient");
      return std::nullopt;
    }
    return wrt;
  }
};

} // namespace

std::unique_ptr<Pass> createDifferentiatePass(const DifferentiateOptions &options) {
  return std::make_unique<DifferentiatePass>(options);
}

} // namespace raf
