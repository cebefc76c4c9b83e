// Time per kernel. The trace is in the Chrome format that Perfetto and chrome://tracing read.
#include "tools/raf/Profile.h"

#include "common/AtomicFile.h"
#include "tools/raf/Checks.h"
#include "tools/raf/Flags.h"
#include "tools/raf/StepProfile.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace raf::tool {
namespace {

using Json = nlohmann::ordered_json;

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
  const StepProfile measured =
      profileStep(flags.model, flags.batch, flags.function, flags.steps, flags.seed,
                  flags.compile.options({flags.function}, flags.run), flags.run.sessionOptions());
  if (!flags.output.empty())
    writeFileAtomically(flags.output, traceOf(measured.commands).dump());
  const Profiles rows = byLabel(measured.commands);
  if (flags.json)
    fmt::print("{}\n", rowsOf(rows, measured.seconds).dump());
  else
    printTable(rows, measured.seconds, flags.top);
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
