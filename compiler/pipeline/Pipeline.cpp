#include "compiler/pipeline/Pipeline.h"

#include "common/Error.h"
#include "compiler/cover/Cover.h"
#include "compiler/differentiate/Differentiate.h"
#include "compiler/differentiate/Evaluation.h"
#include "compiler/differentiate/Optimizer.h"
#include "compiler/ir/Raf.h"
#include "compiler/optimize/simplify/Simplify.h"
#include "compiler/schedule/Copies.h"
#include "compiler/schedule/Order.h"
#include "compiler/schedule/Plan.h"
#include "compiler/schedule/Storage.h"
#include "compiler/schedule/VerifyPlan.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <algorithm>
#include <fmt/format.h>

using namespace mlir;

namespace raf {
namespace {

constexpr llvm::StringLiteral kFunctions[] = {"train_step", "evaluate", "forward",
                                              "value_and_grad"};

bool wants(const CompileOptions &options, llvm::StringRef function) {
  return llvm::is_contained(options.functions, function.str());
}

LogicalResult run(ModuleOp module, llvm::function_ref<void(PassManager &)> build) {
  PassManager pm(module.getContext());
  build(pm);
  return pm.run(module);
}

/// Leaves the functions that were asked for, in the order in which they were.
void keepRequested(ModuleOp module, const CompileOptions &options) {
  for (func::FuncOp func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!wants(options, func.getSymName()))
      func.erase();
  for (const std::string &name : options.functions) {
    Operation *func = module.lookupSymbol(name);
    func->moveBefore(module.getBody(), module.getBody()->end());
  }
}

/// A model whose functions hold kernels already needs no cover.
bool isCovered(func::FuncOp func) {
  bool kernels = false;
  for (Operation &op : func.front().without_terminator()) {
    if (!schedule::isKernel(&op) && !isViewKind(&op) && !isa<ConstantOp>(op))
      return false;
    kernels |= schedule::isKernel(&op);
  }
  return kernels;
}

LogicalResult coverAll(ModuleOp module, Compilation &compilation) {
  cover::Options options;
  options.dialects = compilation.options.dialects;
  options.machine = cover::Machine::with(
      compilation.options.threads, compilation.target.vectorBytes,
      llvm::is_contained(compilation.target.required, std::string("avx512bf16")));
  for (func::FuncOp func : module.getOps<func::FuncOp>())
    if (!isCovered(func) && failed(cover::coverFunction(func, options, &compilation.decisions)))
      return failure();
  return success();
}

/// What must hold between a phase and the next one.
LogicalResult verifyAfter(Phase phase, ModuleOp module) {
  if (failed(mlir::verify(module)))
    return failure();
  switch (phase) {
  case Phase::Cover:
  case Phase::Schedule:
    for (func::FuncOp func : module.getOps<func::FuncOp>())
      if (failed(schedule::checkCovered(func)))
        return failure();
    return success();
  case Phase::Plan:
    return schedule::verifyPlan(module);
  default:
    return success();
  }
}

LogicalResult runPasses(Phase phase, ModuleOp module, Compilation &compilation) {
  const CompileOptions &options = compilation.options;
  switch (phase) {
  case Phase::Import:
  case Phase::Emit:
    return success(); // see Driver.cpp

  case Phase::Evaluation:
    // Before differentiation, so that what evaluates is the user's forward and nothing that a
    // derivative needed of it.
    if (!wants(options, "evaluate"))
      return success();
    return run(module, [](PassManager &pm) { pm.addPass(createEvaluationModePass()); });

  case Phase::Differentiate:
    if (!wants(options, "train_step") && !wants(options, "value_and_grad"))
      return success();
    return run(module, [&](PassManager &pm) {
      // Equal computations of the forward are differentiated once.
      pm.addNestedPass<func::FuncOp>(createSimplifyPass());
      DifferentiateOptions differentiate;
      differentiate.outputs = options.outputs || wants(options, "value_and_grad");
      pm.addPass(createDifferentiatePass(differentiate));
    });

  case Phase::Optimizer:
    if (wants(options, "train_step") && failed(run(module, [&](PassManager &pm) {
          OptimizerOptions optimizer;
          optimizer.spec = options.optimizer;
          optimizer.clipGradNorm = options.clipGradNorm;
          optimizer.outputs = options.outputs;
          optimizer.keep = wants(options, "value_and_grad");
          pm.addPass(createOptimizerPass(optimizer));
        })))
      return failure();
    keepRequested(module, options);
    return success();

  case Phase::Simplify:
    return run(module, [](PassManager &pm) {
      // Derivatives leave sums of zeros, double transposes and values that the forward has already.
      pm.addNestedPass<func::FuncOp>(createSimplifyPass());
    });

  case Phase::Cover:
    return coverAll(module, compilation);

  case Phase::Schedule:
    return run(module, [](PassManager &pm) {
      // Copies before the order: they are kernels, and the order must know them.
      pm.addNestedPass<func::FuncOp>(schedule::createInsertCopiesPass());
      pm.addNestedPass<func::FuncOp>(schedule::createSchedulePass());
    });

  case Phase::Plan:
    return run(module, [](PassManager &pm) { pm.addPass(schedule::createPlanPass()); });
  }
  llvm_unreachable("unknown phase");
}

} // namespace

LogicalResult runPhase(Phase phase, ModuleOp module, Compilation &compilation) {
  return success(succeeded(runPasses(phase, module, compilation)) &&
                 succeeded(verifyAfter(phase, module)));
}

void checkOptions(const CompileOptions &options) {
  auto refuse = [](const std::string &what) { throw UsageError(what); };
  if (options.functions.empty())
    refuse("expected a function to compile");
  for (const std::string &function : options.functions) {
    if (!llvm::is_contained(kFunctions, function))
      refuse(fmt::format("expected functions among {}, but got \"{}\"",
                         fmt::join(std::begin(kFunctions), std::end(kFunctions), ", "), function));
    if (std::ranges::count(options.functions, function) > 1)
      refuse(fmt::format("function \"{}\" is asked for twice", function));
  }
  if (options.gradAccum < 1)
    refuse(fmt::format("expected gradient accumulation over at least 1 batch, but got {}",
                       options.gradAccum));
  if (!(options.clipGradNorm >= 0))
    refuse(fmt::format("expected a gradient norm of at least 0 to clip to, but got {}",
                       options.clipGradNorm));
  if (options.threads < 1)
    refuse(fmt::format("expected at least 1 thread, but got {}", options.threads));
  if (!options.amp.empty() && options.amp != "bf16" && options.amp != "fp16")
    refuse(fmt::format("expected bf16 or fp16 as low precision, but got \"{}\"", options.amp));
  // Their phases stand between simplify and cover, and are not written yet.
  if (!options.amp.empty())
    throw UnsupportedError("mixed precision is not supported by this version");
  if (options.gradAccum > 1)
    throw UnsupportedError("gradient accumulation is not supported by this version");
  if (!options.stopAfter.empty())
    (void)phaseNamed(options.stopAfter);
  if (!options.printIrAfter.empty() && options.printIrAfter != "all")
    (void)phaseNamed(options.printIrAfter);
}

} // namespace raf
