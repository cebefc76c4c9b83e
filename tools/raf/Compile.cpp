#include "tools/raf/Compile.h"

#include "common/AtomicFile.h"
#include "tools/raf/Checks.h"
#include "tools/raf/Program.h"
#include "trainer/metrics/Metrics.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace raf::tool {
namespace {

struct CommandFlags {
  std::string model, output, stopAfter;
  int64_t batch = 0;
  std::vector<std::string> functions = {"train_step", "evaluate"};
  CompileFlags compile;
  RunFlags run;
  bool decisions = false, json = false;
};

nlohmann::ordered_json toJson(const CompileResult &result) {
  nlohmann::ordered_json phases, kernels = nlohmann::ordered_json::array();
  for (const auto &[phase, seconds] : result.phaseSeconds)
    phases[phase] = seconds;
  for (const KernelStat &kernel : result.kernels)
    kernels.push_back({{"op", kernel.op}, {"dialect", kernel.dialect}, {"count", kernel.count}});
  return {{"event", "done"},
          {"compile_seconds", result.seconds},
          {"phase_seconds", phases},
          {"executable_bytes", result.executable.size()},
          {"arena_bytes", result.arenaBytes},
          {"state_bytes", result.stateBytes},
          {"flops", result.flops},
          {"kernels_compiled", result.kernelsCompiled},
          {"kernels_from_cache", result.kernelsFromCache},
          {"kernels", kernels}};
}

void printText(const CompileResult &result) {
  for (const auto &[phase, seconds] : result.phaseSeconds)
    fmt::print("{:<14} {:8.3f} s\n", phase, seconds);
  fmt::print("{:<14} {:8.3f} s\n", "all", result.seconds);
  for (const KernelStat &kernel : result.kernels)
    fmt::print("{:>6} x {:<10} {}\n", kernel.count, kernel.dialect, kernel.op);
  fmt::print("kernels: {} compiled, {} from the cache\n", result.kernelsCompiled,
             result.kernelsFromCache);
  fmt::print("memory: {} of activations, {} of state\n",
             trainer::formatBytes(static_cast<double>(result.arenaBytes)),
             trainer::formatBytes(static_cast<double>(result.stateBytes)));
  fmt::print("work: {:.3f} GFLOP\n", result.flops * 1e-9);
}

int compile(const CommandFlags &flags) {
  CompileOptions options = flags.compile.options(flags.functions, flags.run);
  options.stopAfter = flags.stopAfter;
  const CompileResult result = compileModel(flags.model, flags.batch, options);
  if (!flags.output.empty())
    writeFileAtomically(flags.output, result.executable);
  if (flags.json)
    fmt::print("{}\n", toJson(result).dump());
  else
    printText(result);
  if (flags.decisions)
    fmt::print(flags.json ? stderr : stdout, "{}", result.decisions);
  return 0;
}

} // namespace

Action addCompile(CLI::App &app) {
  auto flags = std::make_shared<CommandFlags>();
  app.add_option("model", flags->model, "Zoo name with options, or a .pt2, .onnx or .mlir file")
      ->required();
  auto *output = app.add_option("-o,--output", flags->output, "Executable file to write (.rafx)");
  app.add_option("--stop-after", flags->stopAfter, "Phase to stop after, for --print-ir-after")
      ->excludes(output);
  app.add_option("--batch", flags->batch, "Samples of one update (default: the model's own)")
      ->check(atLeast(1));
  app.add_option("--functions", flags->functions,
                 "Of train_step, evaluate, forward, value_and_grad; comma list")
      ->delimiter(',')
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(CLI::IsMember({"train_step", "evaluate", "forward", "value_and_grad"}))
      ->capture_default_str();
  app.add_flag("--decisions", flags->decisions,
               "Print which kernel runs each piece, its runner-up, and both costs");
  app.add_flag("--json", flags->json, "One JSON object on stdout");
  flags->compile.add(app, true);
  flags->run.add(app);
  return [flags] { return compile(*flags); };
}

} // namespace raf::tool
