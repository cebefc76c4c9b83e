// Timing of training steps. `--interactive` lets a comparison alternate two programs in one run:
// "ready" is answered once at the start, and every line "step" with the seconds of one.
#include "tools/raf/Bench.h"

#include "common/Error.h"
#include "tools/raf/Checks.h"
#include "tools/raf/Program.h"
#include "tools/raf/ResidentMemory.h"
#include "tools/raf/SyntheticBatch.h"
#include "trainer/loop/FunctionCall.h"
#include "trainer/loop/InitializeState.h"
#include "trainer/metrics/Metrics.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <unistd.h>

namespace raf::tool {
namespace {

using Json = nlohmann::ordered_json;

struct BenchFlags {
  std::string model, function = "train_step", against;
  int64_t batch = 0, steps = 10, warmup = 2;
  uint64_t seed = 0;
  double lr = 1e-4;
  bool interactive = false, json = false;
  CompileFlags compile;
  RunFlags run;
};

void printLine(const Json &line) {
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

// One program under the clock.
class Bench {
public:
  explicit Bench(const BenchFlags &flags)
      : flags(flags), vocabulary(vocabularyOf(inspectModel(flags.model, flags.batch))),
        compiled(compileModel(flags.model, flags.batch,
                              flags.compile.options({flags.function}, flags.run))),
        before(resetPeak()),
        session(runtime::Session::load(compiled.executable, flags.run.sessionOptions())),
        call(*session, flags.function), batch(call.batchInputs(), vocabulary, flags.seed) {
    for (const runtime::StateInfo &state : session->state())
      trainer::initializeState(state, flags.seed);
  }

  double step() {
    const auto begin = std::chrono::steady_clock::now();
    call.run(batch.views(), static_cast<float>(flags.lr), flags.seed, steps++);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (steps == 1)
      first = seconds;
    return seconds;
  }

  Json facts() const {
    Json json;
    json["compile_seconds"] = compiled.seconds;
    if (steps > 0)
      json["first_step_seconds"] = first;
    json["planned_peak_bytes"] = session->memory().plannedPeakBytes();
    json["state_bytes"] = session->memory().stateBytes;
    json["flops"] = session->flops(flags.function);
    json["threads"] = session->threads();
    json["rss_before_bytes"] = before;
    json["peak_rss_bytes"] = peakResident();
    return json;
  }

  int64_t samples() const {
    return batch.views().empty() || batch.views()[0].shape.empty() ? 1 : batch.views()[0].shape[0];
  }
  double flops() const { return session->flops(flags.function); }
  double loss() const { return call.scalar("loss"); }

private:
  static uint64_t resetPeak() {
    resetPeakResident();
    return peakResident();
  }

  const BenchFlags &flags;
  int64_t vocabulary;
  CompileResult compiled;
  uint64_t before;
  std::unique_ptr<runtime::Session> session;
  trainer::FunctionCall call;
  SyntheticBatch batch;
  int64_t steps = 0;
  double first = 0;
};

int interact(Bench &bench) {
  Json ready = bench.facts();
  ready["event"] = "ready";
  printLine(ready);
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "step") {
      const double seconds = bench.step();
      printLine({{"seconds", seconds}, {"loss", bench.loss()}});
    } else if (line == "facts") {
      printLine(bench.facts());
    } else if (line == "quit") {
      break;
    } else {
      throw UsageError(fmt::format("bench: expected step, facts or quit, but got '{}'", line));
    }
  }
  return 0;
}

// The peers are Python programs that take turns with this one; the comparison is theirs to make.
[[noreturn]] void compare(const BenchFlags &flags) {
  namespace fs = std::filesystem;
  const fs::path checkout = fs::read_symlink("/proc/self/exe").parent_path() / ".." / "..";
  const fs::path script = checkout / "benchmarks" / "compare.py";
  const fs::path python = checkout / ".venv" / "bin" / "python";
  if (!fs::exists(script) || !fs::exists(python))
    throw Error("bench --against: expected benchmarks/compare.py and .venv of a checkout, two "
                "folders above this program");
  std::vector<std::string> arguments = {python,
                                        script,
                                        flags.model,
                                        "--against",
                                        flags.against,
                                        "--steps",
                                        fmt::format("{}", flags.steps)};
  if (flags.run.threads > 0)
    arguments.insert(arguments.end(), {"--threads", fmt::format("{}", flags.run.threads)});
  if (flags.compile.amp == "bf16")
    arguments.insert(arguments.end(), {"--dtype", "bf16"});
  if (!flags.compile.dialects.empty())
    arguments.insert(arguments.end(), {"--dialects", flags.compile.dialects});
  if (flags.json)
    arguments.push_back("--json");
  std::vector<char *> pointers;
  for (std::string &argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(pointers[0], pointers.data());
  throw Error(fmt::format("{}: cannot run: {}", python.string(), std::strerror(errno)));
}

int bench(const BenchFlags &flags) {
  if (!flags.against.empty())
    compare(flags);
  Bench bench(flags);
  if (flags.interactive)
    return interact(bench);
  for (int64_t i = 0; i < flags.warmup; ++i)
    bench.step();
  std::vector<double> seconds;
  for (int64_t i = 0; i < flags.steps; ++i)
    seconds.push_back(bench.step());
  std::sort(seconds.begin(), seconds.end());
  const double median = (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2;
  const double gflops = bench.flops() / median * 1e-9;
  const double samples = static_cast<double>(bench.samples()) / median;
  const Json facts = bench.facts();
  if (flags.json) {
    Json line{{"event", "done"},
              {"step_seconds", median},
              {"least_step_seconds", seconds.front()},
              {"steps", flags.steps},
              {"samples_per_second", samples},
              {"gflops_per_second", gflops},
              {"loss", bench.loss()}};
    line.update(facts);
    printLine(line);
    return 0;
  }
  auto bytes = [&](const char *key) { return trainer::formatBytes(facts[key].get<double>()); };
  fmt::print("{}: median {:.4f} s of {} steps (least {:.4f} s), {:.3g} samples/s, {:.1f} GFLOP/s\n",
             flags.function, median, flags.steps, seconds.front(), samples, gflops);
  fmt::print("compile {:.2f} s, first step {:.4f} s\n", facts["compile_seconds"].get<double>(),
             facts["first_step_seconds"].get<double>());
  fmt::print("planned peak {}, resident {} before and {} at the peak\n",
             bytes("planned_peak_bytes"), bytes("rss_before_bytes"), bytes("peak_rss_bytes"));
  return 0;
}

} // namespace

Action addBench(CLI::App &app) {
  auto flags = std::make_shared<BenchFlags>();
  app.add_option("model", flags->model, "Zoo name with options, or a .pt2, .onnx or .mlir file")
      ->required();
  app.add_option("--batch", flags->batch, "Samples of one step (default: the model's own)")
      ->check(atLeast(1));
  app.add_option("--steps", flags->steps, "Steps timed")->check(atLeast(1))->capture_default_str();
  app.add_option("--warmup-steps", flags->warmup, "Steps before the clock starts")
      ->check(atLeast(0))
      ->capture_default_str();
  app.add_option("--function", flags->function, "What a step is")
      ->check(CLI::IsMember({"train_step", "evaluate"}))
      ->capture_default_str();
  app.add_option("--lr", flags->lr, "Learning rate")->capture_default_str();
  app.add_option("--seed", flags->seed, "Of parameters and data")->capture_default_str();
  app.add_option("--against", flags->against,
                 "Take turns with these, in a checkout: comma list of torch-eager, torch-compile");
  app.add_flag("--interactive", flags->interactive,
               "Read 'step', 'facts' or 'quit' lines on stdin, answer each with a JSON line");
  app.add_flag("--json", flags->json, "One JSON object on stdout");
  flags->compile.add(app, true);
  flags->run.add(app);
  return [flags] { return bench(*flags); };
}

} // namespace raf::tool
