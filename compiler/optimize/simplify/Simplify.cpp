#include "compiler/optimize/simplify/Simplify.h"

#include "compiler/ir/Raf.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace raf {
namespace {

struct SimplifyPass : PassWrapper<SimplifyPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyPass)

  llvm::StringRef getArgument() const override { return "raf-simplify"; }
  llvm::StringRef getDescription() const override {
    return "fold, merge views, share common subexpressions and drop dead ops, bit for bit";
  }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (isa<RafDialect>(op.getDialect()))
        op.getCanonicalizationPatterns(set, context);
    addAlgebraPatterns(set);
    addViewPatterns(set);
    addMatmulPatterns(set);
    patterns = FrozenRewritePatternSet(std::move(set));
    return success();
  }

  void runOnOperation() override {
    // Common subexpressions after the patterns, which make different views of a value alike; the
    // patterns again, since a rule may wait for two operands to become one.
    if (failed(applyPatternsAndFoldGreedily(getOperation(), patterns)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    auto &dominance = getAnalysis<DominanceInfo>();
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), patterns)))
      return signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

std::unique_ptr<Pass> createSimplifyPass() { return std::make_unique<SimplifyPass>(); }
void registerSimplifyPass() {
  registerPass([] { return createSimplifyPass(); });
}

} // namespace raf
