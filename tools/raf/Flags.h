// Groups of options that several subcommands share, spelled and explained once.
#pragma once

#include "compiler/api/Compiler.h"
#include "runtime/session/Session.h"
#include "trainer/loop/Schedule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace raf::tool {

/// Bytes, or a number with B, KB, KiB, MB, MiB, GB, GiB, TB or TiB ("4GiB", "1.5 gib"). Throws
/// UsageError.
uint64_t parseSize(const std::string &text);

/// How the training step is built.
struct CompileFlags {
  std::string loss, optimizer = "adamw", amp, memoryBudget, dialects, cpu = "native", cache;
  std::optional<double> weightDecay;
  std::vector<std::string> hyper; // KEY=VALUE
  double clip = 0;
  int gradAccum = 1, zero = 0;
  bool noCache = false;
  std::string printIrAfter;

  /// `training`: with the options that only an update needs.
  void add(CLI::App &app, bool training);
  OptimizerSpec optimizerSpec() const;
  CompileOptions options(std::vector<std::string> functions, const struct RunFlags &run) const;
};

/// What the compiled step runs on.
struct RunFlags {
  int threads = 0;
  bool deterministic = false, checkNumerics = false;
  std::string device = "cpu";

  void add(CLI::App &app);
  /// Throws for a device or a world size that this build does not have.
  runtime::SessionOptions sessionOptions() const;
};

struct DataFlags {
  std::string path, tokenizer;

  void add(CLI::App &app, bool required = true);
};

/// The training loop.
struct LoopFlags {
  int64_t steps = 1000, batch = 8;
  uint64_t seed = 0;
  std::string schedule = "constant";
  double lr = 3e-4, leastLr = 0;
  int64_t warmup = 0;
  std::string checkpoint;
  int64_t checkpointEvery = 0, keep = 3, evalEvery = 0, logEvery = 10;
  bool resume = false, json = false;

  /// `fixedBatch`: the batch is the executable's, not an option.
  void add(CLI::App &app, bool fixedBatch);
  trainer::Schedule scheduleOf() const;
};

} // namespace raf::tool
