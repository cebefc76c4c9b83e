// The page is one file without scripts or links, so that it can be sent and kept.
#include "tools/raf/Report.h"

#include "common/AtomicFile.h"
#include "tools/raf/Checks.h"
#include "tools/raf/StepProfile.h"
#include "trainer/metrics/Metrics.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace raf::tool {
namespace {

struct ReportFlags {
  std::string model, output;
  int64_t batch = 0, steps = 5;
  uint64_t seed = 0;
  CompileFlags compile;
  RunFlags run;
};

constexpr const char *kStyle = R"(<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse } td, th { padding: .15em .8em; text-align: right; white-space: nowrap }
th { border-bottom: 1px solid #999 } td.text, th.text { text-align: left }
div.bar { background: #4a7ebb; height: .8em } pre { background: #f4f4f4; padding: 1em; overflow-x: auto }
</style>)";

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string bytes(uint64_t count) { return trainer::formatBytes(static_cast<double>(count)); }

void row(std::string &page, std::string_view what, const std::string &value) {
  fmt::format_to(std::back_inserter(page), "<tr><td class=\"text\">{}</td><td>{}</td></tr>\n", what,
                 escaped(value));
}

void addSummary(std::string &page, const StepProfile &step) {
  const double flops = step.compiled.flops;
  page += "<table>\n";
  row(page, "kernels of one step", fmt::format("{:.3f} ms", step.seconds * 1e3));
  row(page, "work of one step", fmt::format("{:.3f} GFLOP", flops * 1e-9));
  row(page, "speed", fmt::format("{:.1f} GFLOP/s", flops / step.seconds * 1e-9));
  row(page, "planned peak", bytes(step.memory.plannedPeakBytes()));
  row(page, "parameters, buffers and optimizer state", bytes(step.memory.stateBytes));
  row(page, "activations and gradients", bytes(step.memory.arenaBytes));
  row(page, "workspace of kernels", bytes(step.memory.workspaceBytes));
  row(page, "constants", bytes(step.memory.constantBytes));
  row(page, "executable", bytes(step.compiled.executable.size()));
  row(page, "compilation", fmt::format("{:.3f} s", step.compiled.seconds));
  for (const auto &[phase, seconds] : step.compiled.phaseSeconds)
    row(page, "&nbsp;&nbsp;" + escaped(phase), fmt::format("{:.3f} s", seconds));
  row(page, "kernels compiled, from the cache",
      fmt::format("{}, {}", step.compiled.kernelsCompiled, step.compiled.kernelsFromCache));
  page += "</table>\n";
}

void addKernels(std::string &page, const StepProfile &step) {
  page += "<table>\n<tr><th class=\"text\">kernel</th><th class=\"text\">dialect</th><th>calls</th>"
          "<th>ms/step</th><th>predicted</th><th>GFLOP/s</th><th>GB/s</th><th>share</th><th></th></"
          "tr>\n";
  for (const runtime::CommandProfile &kernel : byLabel(step.commands)) {
    const double seconds = std::max(kernel.seconds, 1e-12);
    const double share = 100 * kernel.seconds / step.seconds;
    fmt::format_to(std::back_inserter(page),
                   "<tr><td class=\"text\">{}</td><td "
                   "class=\"text\">{}</td><td>{}</td><td>{:.3f}</td><td>{:.3f}</td>"
                   "<td>{:.1f}</td><td>{:.1f}</td><td>{:.1f}%</td>"
                   "<td><div class=\"bar\" style=\"width:{:.2f}em\"></div></td></tr>\n",
                   escaped(kernel.label), escaped(kernel.dialect), kernel.calls,
                   kernel.seconds * 1e3, kernel.predictedSeconds * 1e3,
                   kernel.flops / seconds * 1e-9, kernel.bytes / seconds * 1e-9, share, share / 5);
  }
  page += "</table>\n";
}

int report(const ReportFlags &flags) {
  const StepProfile step =
      profileStep(flags.model, flags.batch, "train_step", flags.steps, flags.seed,
                  flags.compile.options({"train_step"}, flags.run), flags.run.sessionOptions());
  const std::string title = escaped("Training step of " + flags.model);
  std::string page = fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                                 "<title>{0}</title>\n{1}</head><body>\n<h1>{0}</h1>\n",
                                 title, kStyle);
  addSummary(page, step);
  page += "<h2>Kernels</h2>\n";
  addKernels(page, step);
  page +=
      "<h2>Decisions</h2>\n<pre>" + escaped(step.compiled.decisions) + "</pre>\n</body></html>\n";
  writeFileAtomically(flags.output, page);
  return 0;
}

} // namespace

Action addReport(CLI::App &app) {
  auto flags = std::make_shared<ReportFlags>();
  app.add_option("model", flags->model, "Zoo name with options, or a .pt2, .onnx or .mlir file")
      ->required();
  app.add_option("-o,--output", flags->output, "Page to write (.html)")->required();
  app.add_option("--batch", flags->batch, "Samples of one step (default: the model's own)")
      ->check(atLeast(1));
  app.add_option("--steps", flags->steps, "Steps averaged")
      ->check(atLeast(1))
      ->capture_default_str();
  app.add_option("--seed", flags->seed, "Of parameters and data")->capture_default_str();
  flags->compile.add(app, true);
  flags->run.add(app);
  return [flags] { return report(*flags); };
}

} // namespace raf::tool
