// The implementation of raf::Compiler: from a model's name to the bytes of an executable.
#include "common/Error.h"
#include "compiler/api/Compiler.h"
#include "compiler/emit/Emit.h"
#include "compiler/import/Import.h"
#include "compiler/import/Loss.h"
#include "compiler/import/zoo/Zoo.h"
#include "compiler/ir/Raf.h"
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/pipeline/Inspect.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/pipeline/Registration.h"
#include "compiler/schedule/Place.h"

#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace mlir;

namespace raf {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A context of its own for each request, with nothing left from earlier ones.
std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerDialects(registry);
  auto context = std::make_unique<MLIRContext>(registry);
  context->loadAllAvailableDialects();
  return context;
}

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out);
  return text;
}

uint64_t bytesIn(Operation *op, llvm::StringRef attribute) {
  auto bytes = op->getAttrOfType<IntegerAttr>(attribute);
  return bytes ? static_cast<uint64_t>(bytes.getInt()) : 0;
}

/// What the executable says about how it was made. Equal requests give equal bytes.
std::string metadataOf(const ModelSource &model, const CompileOptions &options) {
  nlohmann::json json;
  json["model"] = model.spec;
  json["sizes"] = model.sizes;
  json["functions"] = options.functions;
  json["cpu"] = options.cpu;
  json["dialects"] = options.dialects;
  json["clip_grad_norm"] = options.clipGradNorm;
  json["loss"] = options.loss;
  json["deterministic"] = options.deterministic;
  json["outputs"] = options.outputs;
  nlohmann::json &optimizer = json["optimizer"];
  optimizer["name"] = options.optimizer.name;
  optimizer["hyper"] = options.optimizer.hyper;
  optimizer["decay_biases_and_norms"] = options.optimizer.decayBiasesAndNorms;
  optimizer["groups"] = options.optimizer.groups;
  // A path may hold bytes that are no UTF-8.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Counts kernels by what they compute and in which dialect, and the work of the first function.
void addStatistics(ModuleOp module, CompileResult &result) {
  result.stateBytes = bytesIn(module, schedule::names::kStateBytes);
  std::map<std::pair<std::string, std::string>, int64_t> counts;
  bool first = true;
  for (func::FuncOp func : module.getOps<func::FuncOp>()) {
    result.arenaBytes = std::max(result.arenaBytes, bytesIn(func, schedule::names::kArenaBytes));
    for (Operation &op : func.front()) {
      auto kernel = dyn_cast<KernelOpInterface>(op);
      if (!kernel)
        continue;
      ++counts[{kernel.getLabel(), op.getName().getDialectNamespace().str()}];
      if (auto cost = dyn_cast<CostOpInterface>(op); cost && first)
        result.flops += cost.getFlops();
    }
    first = false;
  }
  for (const auto &[kernel, count] : counts)
    result.kernels.push_back({kernel.first, kernel.second, count});
}

class Driver final : public Compiler {
public:
  CompileResult compile(const ModelSource &model, const CompileOptions &options) override {
    checkOptions(options);
    const Clock::time_point start = Clock::now();
    CompileResult result;
    std::unique_ptr<MLIRContext> context = makeContext();
    Compilation compilation{options, gen::parseTarget(options.cpu), {}};
    OwningOpRef<ModuleOp> module;
    for (Phase phase : kPhases) {
      const Clock::time_point phaseStart = Clock::now();
      report(options, phase, 0);
      if (phase == Phase::Import) {
        module = importModel(*context, model);
        if (!options.loss.empty())
          appendLoss(*module, options.loss);
      } else if (phase == Phase::Emit) {
        emitInto(*module, model, compilation, result);
      } else {
        run(phase, *module, compilation);
      }
      result.phaseSeconds.emplace_back(nameOf(phase).str(), secondsSince(phaseStart));
      if (options.printer &&
          (options.printIrAfter == "all" || options.printIrAfter == nameOf(phase)))
        options.printer(nameOf(phase).str(), textOf(*module));
      if (phase == Phase::Plan) {
        addStatistics(*module, result);
        checkBudget(options, result);
      }
      if (options.stopAfter == nameOf(phase))
        break;
    }
    result.decisions = std::move(compilation.decisions);
    result.seconds = secondsSince(start);
    return result;
  }

  ModelInfo inspect(const ModelSource &model) override {
    std::unique_ptr<MLIRContext> context = makeContext();
    return describeModel(*importModel(*context, model), model.spec);
  }

  std::string print(const ModelSource &model) override {
    std::unique_ptr<MLIRContext> context = makeContext();
    return textOf(*importModel(*context, model));
  }

  std::string dot(const ModelSource &model) override {
    std::unique_ptr<MLIRContext> context = makeContext();
    return graphOf(*importModel(*context, model));
  }

  std::vector<std::pair<std::string, std::string>> zoo() override { return zoo::list(); }

private:
  static void report(const CompileOptions &options, Phase phase, double within) {
    if (options.progress)
      options.progress(nameOf(phase).str(),
                       (static_cast<double>(phase) + within) / static_cast<double>(kPhases.size()));
  }

  static void run(Phase phase, ModuleOp module, Compilation &compilation) {
    ErrorCollector errors(*module.getContext());
    if (succeeded(runPhase(phase, module, compilation)))
      return;
    const std::string line =
        errors.empty() ? fmt::format("{} failed", nameOf(phase).str()) : errors.line();
    // An op without a derivative, or without a kernel.
    if (phase == Phase::Differentiate || phase == Phase::Cover)
      throw UnsupportedError(line);
    throw Error(line);
  }

  static void emitInto(ModuleOp module, const ModelSource &model, const Compilation &compilation,
                       CompileResult &result) {
    const CompileOptions &options = compilation.options;
    ErrorCollector errors(*module.getContext());
    emit::Statistics statistics;
    auto bytes = emit::emitExecutable(
        module,
        {compilation.target, options.cacheDir, metadataOf(model, options), options.threads,
         [&](double fraction) { report(options, Phase::Emit, fraction); }},
        statistics);
    if (failed(bytes))
      throw Error(errors.empty() ? "emit failed" : errors.line());
    result.executable = std::move(*bytes);
    result.kernelsCompiled = statistics.kernelsCompiled;
    result.kernelsFromCache = statistics.kernelsFromCache;
  }

  static void checkBudget(const CompileOptions &options, const CompileResult &result) {
    const uint64_t needed = result.arenaBytes + result.stateBytes;
    if (options.memoryBudget != 0 && needed > options.memoryBudget)
      throw OutOfMemoryError(
          fmt::format("expected a step within {} bytes, but it needs {}: {} for state and {} for "
                      "activations",
                      options.memoryBudget, needed, result.stateBytes, result.arenaBytes),
          needed);
  }
};

} // namespace
} // namespace raf

extern "C" raf::Compiler *raf_create_compiler() { return new raf::Driver(); }
