// The training loop: one session, one update at a time, from any checkpoint on.
#pragma once

#include "trainer/checkpoint/CheckpointStore.h"
#include "trainer/data/Dataset.h"
#include "trainer/loop/Evaluate.h"
#include "trainer/loop/Schedule.h"
#include "trainer/metrics/Metrics.h"

#include <cstdint>
#include <functional>

namespace raf::trainer {

struct TrainOptions {
  int64_t steps = 1000; // of the whole run, resumed ones included
  int64_t batch = 8;
  Schedule schedule;
  int64_t checkpointEvery = 0; // 0: only at the end
  int64_t evaluateEvery = 0;   // 0: never
  std::function<Evaluation()> evaluate;
};

/// Runs "train_step" until `options.steps` updates are made or a SIGINT/SIGTERM was noted (see
/// StopSignal), from `progress` on, which it advances. With `store` a checkpoint is written every
/// `checkpointEvery` updates and at the end; the line of a step is out before its checkpoint is
/// published. Fills steps, finalLoss, checkpoint and signal of the result. Throws Error naming the
/// step when the loss or the gradient norm is not finite; no checkpoint is written then.
RunSummary train(runtime::Session &session, const Dataset &data, const TrainOptions &options,
                 Progress &progress, CheckpointStore *store, Metrics &metrics);

} // namespace raf::trainer
