#include "compiler/differentiate/Evaluation.h"
#include "compiler/differentiate/Functions.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace raf {
namespace {

struct EvaluationModePass : PassWrapper<EvaluationModePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EvaluationModePass)

  EvaluationModePass() = default;
  EvaluationModePass(const EvaluationModePass &other) : PassWrapper(other) {}
  llvm::StringRef getArgument() const override { return "raf-evaluation-mode"; }
  llvm::StringRef getDescription() const override {
    return "build the function that evaluates the model: the forward without dropout";
  }

  Option<std::string> function{*this, "function", llvm::cl::desc("the forward"),
                               llvm::cl::init("forward")};
  Option<std::string> result{*this, "result", llvm::cl::desc("name of the new function"),
                             llvm::cl::init("evaluate")};

  void runOnOperation() override {
    func::FuncOp forward = lookupFunction(getOperation(), function);
    if (!forward)
      return signalPassFailure();
    func::FuncOp f = copyFunction(getOperation(), forward, result);

    std::vector<FunctionResult> results;
    for (const FunctionResult &r : resultsOf(f))
      if (r.updates().empty())
        results.push_back(r);
    setResults(f, results);

    f.walk([](Operation *op) {
      if (auto dropout = dyn_cast<DropoutOp>(op)) {
        dropout.replaceAllUsesWith(dropout.getX());
        dropout.erase();
      } else if (auto attention = dyn_cast<AttentionOp>(op)) {
        attention.setDropout(llvm::APFloat(0.0));
        attention.getKeyMutable().clear();
      }
    });
    Block &block = f.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    for (unsigned i = f.getNumArguments(); i-- > 0;)
      if (argumentKind(f, i) == "key" && f.getArgument(i).use_empty())
        f.eraseArgument(i);
  }
};

} // namespace

std::unique_ptr<Pass> createEvaluationModePass() { return std::make_unique<EvaluationModePass>(); }

} // namespace raf
