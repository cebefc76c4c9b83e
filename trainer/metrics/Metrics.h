// What a run tells while it goes: JSON lines for programs, text and a progress bar for people.
#pragma once

#include "trainer/loop/Evaluate.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace raf::trainer {

/// One update.
struct StepRecord {
  int64_t step = 0; // updates made, this one included
  int64_t totalSteps = 0;
  double loss = 0, lr = 0, gradNorm = 0;
  double seconds = 0;
  double samplesPerSecond = 0;
  double tokensPerSecond = 0; // 0: data are not tokens
  double gflopsPerSecond = 0;
};

/// What the last line of a run says.
struct RunSummary {
  int64_t steps = 0;
  double compileSeconds = 0;
  uint64_t plannedPeakBytes = 0;
  double finalLoss = 0;
  std::string checkpoint; // the last one written, empty: none
  int signal = 0;         // not 0: the run was asked to stop early
};

class Metrics {
public:
  struct Options {
    bool json = false;     // one line per step on stdout instead of text
    bool progress = false; // a bar on stderr
    int64_t logEvery = 10; // text: a line every so many steps
  };
  explicit Metrics(const Options &options);
  ~Metrics();
  Metrics(const Metrics &) = delete;
  Metrics &operator=(const Metrics &) = delete;

  /// The line is on stdout (flushed) when this returns. Throws Error when stdout cannot be written.
  void step(const StepRecord &record);
  void evaluation(int64_t step, const Evaluation &result);
  void checkpoint(const std::string &path, int64_t step);
  /// A remark for people (stderr), for example that a run starts from the beginning.
  void note(const std::string &text);
  void done(const RunSummary &summary);

private:
  void line(const std::string &text);
  void clearBar();

  Options options;
  bool barShown = false;
  std::chrono::steady_clock::time_point lastBar{};
  double meanSeconds = 0; // of a step, smoothed, for the time left
};

/// The step line of `record`, without line end. Numbers read back exactly.
std::string stepLine(const StepRecord &record);
/// The last line: "done", or "interrupted" with the signal's name.
std::string summaryLine(const RunSummary &summary);

/// Largest resident size of this process so far.
uint64_t peakResidentBytes();
/// "1.50 GiB"
std::string formatBytes(double bytes);
/// "02:05", "1:02:05"
std::string formatDuration(double seconds);

} // namespace raf::trainer
