#include "compiler/cover/Cover.h"

#include "compiler/cover/Choose.h"
#include "compiler/cover/Rewrite.h"
#include "compiler/decompose/Decompose.h"
#include "compiler/lower/to_loops/Codegen.h"
#include "compiler/lower/to_onednn/OneDnn.h"
#include "compiler/lower/to_rt/Rt.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/Support/Format.h"

using namespace mlir;

namespace raf::cover {

namespace {

/// Writes composite ops that no dialect takes whole with simpler ones.
void decompose(func::FuncOp function, const CostModel &costs, const Dialects &dialects) {
  decomposeAll(function, [&](Operation *op) {
    LoopRole role = loopRoleOf(op);
    return (role == LoopRole::None || role == LoopRole::Composite) &&
           !hasLibraryKernel(op, costs, dialects);
  });
}

/// Makes equal computations one and drops what nobody uses.
void clean(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  (void)runRegionDCE(rewriter, function->getRegions());
}

std::string dialectOf(Operation *kernel) { return kernel->getName().getDialectNamespace().str(); }

/// "matmul+bias: onednn 0.812 ms, then gen 1.102 ms".
void report(func::FuncOp function, llvm::ArrayRef<Piece> pieces, std::string &text) {
  llvm::raw_string_ostream out(text);
  double total = 0;
  for (const Piece &piece : pieces) {
    total += piece.seconds;
    out << cast<KernelOpInterface>(piece.kernel).getLabel() << ": " << dialectOf(piece.kernel)
        << llvm::format(" %.6f ms", piece.seconds * 1e3);
    if (!piece.runnerUp.empty())
      out << ", then " << piece.runnerUp << llvm::format(" %.6f ms", piece.runnerUpSeconds * 1e3);
    out << '\n';
  }
  out << '@' << function.getName() << ": " << pieces.size() << " kernels, "
      << llvm::format("%.6f ms predicted\n", total * 1e3);
}

} // namespace

LogicalResult coverFunction(func::FuncOp function, const Options &options, std::string *text) {
  std::string error;
  CostModel costs(options.machine);
  Dialects dialects;
  if (!costs.setFactors(options.costs, error) || !dialects.parse(options.dialects, error))
    return function.emitError("cover: ") << error;
  if (!function.getBody().hasOneBlock())
    return function.emitError("cover: expected one block, but got ")
           << function.getBody().getBlocks().size();

  decompose(function, costs, dialects);
  gen::splitReductions(function);
  clean(function);

  std::vector<Claim> claims = chooseLibraries(function, costs, dialects);
  Graph graph(function, [&](Operation *op) { return dialects.allows("gen", op); });
  if (failed(graph.build(claims)))
    return failure();
  Groups groups(graph, costs);
  groups.fuse();
  groups.recompute();
  llvm::SmallVector<Piece> pieces = rewrite(function, graph, groups);
  if (text)
    report(function, pieces, *text);
  return success();
}

namespace {

struct CoverPass : PassWrapper<CoverPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CoverPass)
  CoverPass() = default;
  CoverPass(const CoverPass &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const override { return "raf-cover"; }
  llvm::StringRef getDescription() const override {
    return "chooses the operator dialect and the fused group of each op";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<gen::GenDialect, onednn::OneDnnDialect, rt::RtDialect>();
  }
  void runOnOperation() override {
    Options coverOptions;
    coverOptions.dialects = dialects;
    coverOptions.costs = costs;
    std::string text;
    if (failed(coverFunction(getOperation(), coverOptions, printReport ? &text : nullptr)))
      return signalPassFailure();
    llvm::errs() << text;
  }

  Option<std::string> dialects{*this, "dialects",
                               llvm::cl::desc("allowed dialects, by preference")};
  Option<std::string> costs{*this, "costs", llvm::cl::desc("kernel:factor list")};
  Option<bool> printReport{*this, "report", llvm::cl::desc("print what was decided on stderr")};
};

struct VerifyCoveredPass : PassWrapper<VerifyCoveredPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyCoveredPass)
  llvm::StringRef getArgument() const override { return "raf-verify-covered"; }
  llvm::StringRef getDescription() const override {
    return "checks what holds after the cover: only kernels, views and constants";
  }
  void runOnOperation() override {
    if (failed(verifyCovered(getOperation())))
      signalPassFailure();
  }
};

} // namespace

void registerCoverPasses() {
  PassRegistration<CoverPass>();
  PassRegistration<VerifyCoveredPass>();
}

} // namespace raf::cover
