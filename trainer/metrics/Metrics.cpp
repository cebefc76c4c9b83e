#include "trainer/metrics/Metrics.h"

#include "common/Error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/resource.h>

namespace raf::trainer {
namespace {

using Json = nlohmann::ordered_json;

std::string signalName(int signal) {
  return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : fmt::format("{}", signal);
}

// "950", "12.3k", "4.56M": three digits.
std::string shortNumber(double value) {
  if (value >= 1e6)
    return fmt::format("{:.3g}M", value / 1e6);
  if (value >= 1e3)
    return fmt::format("{:.3g}k", value / 1e3);
  return fmt::format("{:.3g}", value);
}

} // namespace

std::string stepLine(const StepRecord &record) {
  Json line;
  line["step"] = record.step;
  line["loss"] = record.loss;
  line["lr"] = record.lr;
  line["grad_norm"] = record.gradNorm;
  line["step_seconds"] = record.seconds;
  line["samples_per_second"] = record.samplesPerSecond;
  if (record.tokensPerSecond > 0)
    line["tokens_per_second"] = record.tokensPerSecond;
  line["gflops_per_second"] = record.gflopsPerSecond;
  return line.dump();
}

std::string summaryLine(const RunSummary &summary) {
  Json line;
  line["event"] = summary.signal ? "interrupted" : "done";
  if (summary.signal)
    line["signal"] = signalName(summary.signal);
  line["steps"] = summary.steps;
  line["compile_seconds"] = summary.compileSeconds;
  line["planned_peak_bytes"] = summary.plannedPeakBytes;
  line["peak_rss_bytes"] = peakResidentBytes();
  line["final_loss"] = summary.finalLoss;
  if (!summary.checkpoint.empty())
    line["checkpoint"] = summary.checkpoint;
  return line.dump();
}

uint64_t peakResidentBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

std::string formatBytes(double bytes) {
  constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.2f} {}", bytes, units[unit]);
}

std::string formatDuration(double seconds) {
  auto total = static_cast<int64_t>(seconds + 0.5);
  if (total >= 3600)
    return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
  return fmt::format("{:02}:{:02}", total / 60, total % 60);
}

Metrics::Metrics(const Options &options) : options(options) {}

Metrics::~Metrics() { clearBar(); }

void Metrics::line(const std::string &text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fputc('\n', stdout) == EOF || std::fflush(stdout) != 0)
    throw Error(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
}

void Metrics::clearBar() {
  if (barShown)
    fmt::print(stderr, "\r\033[K");
  barShown = false;
}

void Metrics::step(const StepRecord &record) {
  meanSeconds = meanSeconds == 0 ? record.seconds : 0.9 * meanSeconds + 0.1 * record.seconds;
  const double left = meanSeconds * static_cast<double>(record.totalSteps - record.step);
  const double speed =
      record.tokensPerSecond > 0 ? record.tokensPerSecond : record.samplesPerSecond;
  const char *unit = record.tokensPerSecond > 0 ? "tokens" : "samples";
  const bool last = record.step == record.totalSteps;

  if (options.json) {
    clearBar();
    line(stepLine(record));
  } else if (last || (options.logEvery > 0 && record.step % options.logEvery == 0)) {
    clearBar();
    line(
        fmt::format("step {}/{}  loss {:.4f}  lr {:.3g}  grad norm {:.3g}  {} {}/s  {:.1f} GFLOP/s",
                    record.step, record.totalSteps, record.loss, record.lr, record.gradNorm,
                    shortNumber(speed), unit, record.gflopsPerSecond));
  }

  const auto now = std::chrono::steady_clock::now();
  if (!options.progress || (!last && now - lastBar < std::chrono::milliseconds(100)))
    return;
  lastBar = now;
  constexpr int width = 24;
  const int filled = static_cast<int>(width * static_cast<double>(record.step) /
                                      static_cast<double>(record.totalSteps));
  fmt::print(stderr,
             "\r\033[K{:5.1f}% [{:-<{}}] step {}/{}  loss {:.4f}  {} {}/s  {:.1f} GFLOP/s  {} left",
             100.0 * static_cast<double>(record.step) / static_cast<double>(record.totalSteps),
             std::string(static_cast<size_t>(filled), '#'), width, record.step, record.totalSteps,
             record.loss, shortNumber(speed), unit, record.gflopsPerSecond, formatDuration(left));
  std::fflush(stderr);
  barShown = true;
}

void Metrics::evaluation(int64_t step, const Evaluation &result) {
  clearBar();
  if (options.json)
    return line(Json{{"event", "evaluate"},
                     {"step", step},
                     {"held_out_loss", result.loss},
                     {"samples", result.samples},
                     {"seconds", result.seconds}}
                    .dump());
  line(fmt::format("step {}  held-out loss {:.4f}  ({} samples, {:.2f} s)", step, result.loss,
                   result.samples, result.seconds));
}

void Metrics::checkpoint(const std::string &path, int64_t step) {
  if (!options.json)
    return;
  clearBar();
  line(Json{{"event", "checkpoint"}, {"step", step}, {"path", path}}.dump());
}

void Metrics::note(const std::string &text) {
  clearBar();
  fmt::print(stderr, "raf: {}\n", text);
}

void Metrics::done(const RunSummary &summary) {
  clearBar();
  if (options.json)
    return line(summaryLine(summary));
  line(fmt::format(
      "{} after {} steps  loss {:.4f}  compile {:.2f} s  planned peak {}  resident peak {}{}{}",
      summary.signal ? "stopped by " + signalName(summary.signal) : "done", summary.steps,
      summary.finalLoss, summary.compileSeconds,
      formatBytes(static_cast<double>(summary.plannedPeakBytes)),
      formatBytes(static_cast<double>(peakResidentBytes())),
      summary.checkpoint.empty() ? "" : "  checkpoint ", summary.checkpoint));
}

} // namespace raf::trainer
