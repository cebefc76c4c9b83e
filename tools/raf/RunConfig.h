// What a run was started with; its checkpoints carry it as JSON.
#pragma once

#include "compiler/api/Compiler.h"
#include "tools/raf/Flags.h"

#include <cstdint>
#include <string>
#include <vector>

namespace raf::tool {

struct RunConfig {
  std::string model; // zoo spec, or the absolute path of a model or executable file
  std::string loss, amp;
  OptimizerSpec optimizer;
  double clip = 0;
  int gradAccum = 1;
  std::string data, tokenizer;
  int64_t samples = 0; // of one training epoch
  int64_t batch = 0;
  std::string schedule;
  double lr = 0, leastLr = 0;
  int64_t warmup = 0, steps = 0;

  std::string toJson() const;
  /// Throws InvalidFileError, prefixed with `where`.
  static RunConfig fromJson(const std::string &text, const std::string &where);
};

/// Files become absolute paths, so that a checkpoint can be used from any folder; zoo specs stay.
std::string canonicalModel(const std::string &model);

/// Throws UsageError naming the first option that makes another run of it: model, loss, amp,
/// optimizer, clip, batch or tokenizer. Options that may change between
/// resumptions are left alone: those of the schedule and --steps (returned, as remarks), the ones
/// that do not change results (threads, dialects, memory budget), and where the data lie.
std::vector<std::string> requireSameRun(const RunConfig &saved, const RunConfig &now);

} // namespace raf::tool
