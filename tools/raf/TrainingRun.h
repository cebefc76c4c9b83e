// A run with its checkpoints, from whatever made its session: `raf train` compiled it, `raf run`
// read it from a file.
#pragma once

#include "tools/raf/Flags.h"
#include "tools/raf/RunConfig.h"
#include "trainer/checkpoint/CheckpointStore.h"
#include "trainer/data/Dataset.h"
#include "trainer/loop/Evaluate.h"
#include "trainer/metrics/Metrics.h"

#include <optional>
#include <string>

namespace raf::tool {

class TrainingRun {
public:
  /// Locks the checkpoint folder and finds the checkpoint to go on from, before anything is
  /// compiled. Throws UsageError when the folder holds another run, or checkpoints that no
  /// --resume asked for.
  TrainingRun(const LoopFlags &flags, RunConfig config);

  /// Restores or initialises `session`, trains, and prints. The exit code: 0, or 128 + the signal
  /// that stopped the run.
  int run(runtime::Session &session, const trainer::Dataset &data, double compileSeconds,
          const trainer::RemainderSession &remainder);

private:
  const LoopFlags &flags;
  RunConfig config, saved; // `saved`: of the checkpoint to restore
  trainer::Metrics metrics;
  std::optional<trainer::CheckpointStore> store;
  std::string from; // checkpoint to restore; empty: the beginning
};

} // namespace raf::tool
