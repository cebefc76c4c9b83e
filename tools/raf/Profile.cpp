// Time per kernel. The trace is in the Chrome format that Perfetto and chrome://tracing read.
#include "tools/raf/Profile.h"

#include "common/AtomicFile.h"
#include "common/Error.h"
#include "tools/raf/Checks.h"
#include "tools/raf/Program.h"
#include "tools/raf/SyntheticBatch.h"
#include "trainer/loop/FunctionCall.h"
#include "trainer/loop/InitializeState.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace raf::tool {
namespace {

using Json = nlohmann::ordered_json;
using Profiles = std::vector<runtime::CommandProfile>;

struct ProfileFlags {
  std::string model, output, function = "train_step";
  int64_t batch = 0, steps = 5, top = 30;
  uint64_t seed = 0;
  bool json = false;
  CompileFlags compile;
  RunFlags run;
};

Json traceOf(const Profiles &profiles) {
  Json events = Json::array();
  for (const runtime::CommandProfile &p : profiles)
    events.push_back({{"name", p.label},
                      {"cat", p.dialect},
                      {"ph", "X"},
                      {"ts", p.startSeconds * 1e6},
                      {"dur", p.seconds * 1e6},
                      {"pid", 1},
                      {"tid", 1},
                      {"args",
                       {{"module", p.modulePath},
                        {"source", p.source},
                        {"gflops_per_second", p.seconds > 0 ? p.flops / p.seconds * 1e-9 : 0},
                        {"gbytes_per_second", p.seconds > 0 ? p.bytes / p.seconds * 1e-9 : 0},
                        {"predicted_us", p.predictedSeconds * 1e6}}}});
  return {{"traceEvents", events}, {"displayTimeUnit", "ms"}};
}

// Commands of one label and dialect together, slowest first.
Profiles byLabel(const Profiles &profiles) {
  std::map<std::pair<std::string, std::string>, runtime::CommandProfile> sums;
  for (const runtime::CommandProfile &p : profiles) {
    runtime::CommandProfile &sum = sums[{p.label, p.dialect}];
    sum.label = p.label;
    sum.dialect = p.dialect;
    sum.seconds += p.seconds;
    sum.flops += p.flops;
    sum.bytes += p.bytes;
    sum.predictedSeconds += p.predictedSeconds;
    ++sum.calls;
  }
  Profiles rows;
  for (auto &[key, sum] : sums)
    rows.push_back(std::move(sum));
  std::sort(rows.begin(), rows.end(),
            [](const auto &a, const auto &b) { return a.seconds > b.seconds; });
  return rows;
}

void printTable(const Profiles &rows, double total, int64_t top) {
  fmt::print("{:>9} {:>6} {:>6} {:>10} {:>9} {:>7} {:>11}  {:<7} {}\n", "ms/step", "share", "calls",
             "ms/call", "GFLOP/s", "GB/s", "predicted", "dialect", "kernel");
  for (size_t i = 0; i < rows.size() && static_cast<int64_t>(i) < top; ++i) {
    const runtime::CommandProfile &row = rows[i];
    const double seconds = std::max(row.seconds, 1e-12);
    fmt::print("{:9.3f} {:5.1f}% {:6} {:10.4f} {:9.1f} {:7.1f} {:8.3f} ms  {:<7} {}\n",
               row.seconds * 1e3, 100 * row.seconds / total, row.calls,
               row.seconds * 1e3 / static_cast<double>(row.calls), row.flops / seconds * 1e-9,
               row.bytes / seconds * 1e-9, row.predictedSeconds * 1e3, row.dialect, row.label);
  }
  fmt::print("{:9.3f} all kernels of one step\n", total * 1e3);
}

Json rowsOf(const Profiles &rows, double total) {
  Json list = Json::array();
  for (const runtime::CommandProfile &row : rows)
    list.push_back({{"kernel", row.label},
                    {"dialect", row.dialect},
                    {"calls", row.calls},
                    {"seconds", row.seconds},
                    {"flops", row.flops},
                    {"bytes", row.bytes},
                    {"predicted_seconds", row.predictedSeconds}});
  return {{"event", "done"}, {"kernel_seconds", total}, {"kernels", list}};
}

int profile(const ProfileFlags &flags) {
  const runtime::SessionOptions sessionOptions = flags.run.sessionOptions();
  const int64_t vocabulary = vocabularyOf(inspectModel(flags.model, flags.batch));
  Program program = buildProgram(
      flags.model, flags.batch, flags.compile.options({flags.function}, flags.run), sessionOptions);
  runtime::Session &session = *program.session;
  trainer::FunctionCall call(session, flags.function);
  const SyntheticBatch batch(call.batchInputs(), vocabulary, flags.seed);
  for (const runtime::StateInfo &state : session.state())
    trainer::initializeState(state, flags.seed);

  constexpr float lr = 1e-4f;
  call.run(batch.views(), lr, flags.seed, 0); // touches the memory
  session.startProfile();
  for (int64_t step = 1; step <= flags.steps; ++step)
    call.run(batch.views(), lr, flags.seed, step);
  const Profiles profiles = session.stopProfile(flags.function);

  double total = 0;
  for (const runtime::CommandProfile &p : profiles)
    total += p.seconds;
  if (!flags.output.empty())
    writeFileAtomically(flags.output, traceOf(profiles).dump());
  const Profiles rows = byLabel(profiles);
  if (flags.json)
    fmt::print("{}\n", rowsOf(rows, total).dump());
  else
    printTable(rows, total, flags.top);
  return 0;
}

} // namespace

Action addProfile(CLI::App &app) {
  auto flags = std::make_shared<ProfileFlags>();
  app.add_option("model", flags->model, "Zoo name with options, or a .pt2, .onnx or .mlir file")
      ->required();
  app.add_option("-o,--output", flags->output, "Trace to write, for Perfetto or chrome://tracing");
  app.add_option("--batch", flags->batch, "Samples of one step (default: the model's own)")
      ->check(atLeast(1));
  app.add_option("--steps", flags->steps, "Steps averaged")
      ->check(atLeast(1))
      ->capture_default_str();
  app.add_option("--top", flags->top, "Rows of the table")
      ->check(atLeast(1))
      ->capture_default_str();
  app.add_option("--function", flags->function, "What a step is")
      ->check(CLI::IsMember({"train_step", "evaluate"}))
      ->capture_default_str();
  app.add_option("--seed", flags->seed, "Of parameters and data")->capture_default_str();
  app.add_flag("--json", flags->json, "One JSON object on stdout");
  flags->compile.add(app, true);
  flags->run.add(app);
  return [flags] { return profile(*flags); };
}

} // namespace raf::tool
