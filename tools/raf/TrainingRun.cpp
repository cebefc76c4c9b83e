#include "tools/raf/TrainingRun.h"

#include "common/Error.h"
#include "trainer/loop/InitializeState.h"
#include "trainer/loop/StopSignal.h"
#include "trainer/loop/Train.h"

#include <fmt/format.h>

#include <unistd.h>
#include <utility>

namespace raf::tool {

using namespace trainer;

TrainingRun::TrainingRun(const LoopFlags &flags, RunConfig runConfig)
    : flags(flags), config(std::move(runConfig)),
      metrics({flags.json, isatty(STDERR_FILENO) != 0, flags.logEvery}) {
  if (flags.checkpoint.empty()) {
    if (flags.resume)
      throw UsageError("--resume: expected --checkpoint DIR beside it");
    if (flags.checkpointEvery > 0)
      throw UsageError("--checkpoint-every: expected --checkpoint DIR beside it");
    return;
  }
  store.emplace(flags.checkpoint, flags.keep);
  const std::vector<CheckpointInfo> existing = listCheckpoints(flags.checkpoint);
  if (!flags.resume) {
    if (!existing.empty())
      throw UsageError(
          fmt::format("--checkpoint {}: holds step {} of an earlier run; give --resume "
                      "to go on from it, or another folder",
                      flags.checkpoint, existing.back().step));
    return;
  }
  if (existing.empty()) {
    metrics.note(
        fmt::format("{}: no checkpoint to resume, starting from the beginning", flags.checkpoint));
    return;
  }
  from = existing.back().path;
  const Progress progress = readProgress(from);
  if (progress.seed != flags.seed)
    throw UsageError(
        fmt::format("--resume: the checkpoint was made with --seed {}, but this run has {}",
                    progress.seed, flags.seed));
  saved = RunConfig::fromJson(progress.config, from);
  for (const std::string &change : requireSameRun(saved, config))
    metrics.note(fmt::format("resuming from step {}: {}", progress.step, change));
}

int TrainingRun::run(runtime::Session &session, const Dataset &data, double compileSeconds,
                     const RemainderSession &remainder) {
  config.samples = data.samples(Split::Train);
  Progress progress;
  if (from.empty()) {
    progress.seed = flags.seed;
    for (const runtime::StateInfo &state : session.state())
      initializeState(state, flags.seed);
  } else {
    if (config.samples != saved.samples)
      throw UsageError(
          fmt::format("--resume: the checkpoint was made with {} training samples, but "
                      "{} has {}",
                      saved.samples, config.data, config.samples));
    progress = restoreCheckpoint(from, session, Restore::All);
    metrics.note(fmt::format("{}: resuming from step {}", from, progress.step));
  }
  progress.config = config.toJson();

  TrainOptions options;
  options.steps = flags.steps;
  options.batch = config.batch;
  options.schedule = flags.scheduleOf();
  options.checkpointEvery = flags.checkpointEvery;
  options.evaluateEvery = flags.evalEvery;
  options.evaluate = [&] {
    return trainer::evaluate(session, config.batch, remainder, data, flags.seed);
  };
  StopSignal stop;
  RunSummary summary = train(session, data, options, progress, store ? &*store : nullptr, metrics);
  summary.compileSeconds = compileSeconds;
  summary.plannedPeakBytes = session.memory().plannedPeakBytes();
  metrics.done(summary);
  return summary.signal ? 128 + summary.signal : 0;
}

} // namespace raf::tool
