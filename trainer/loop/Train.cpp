#include "trainer/loop/Train.h"

#include "common/Error.h"
#include "trainer/loop/FunctionCall.h"
#include "trainer/loop/StopSignal.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace raf::trainer {
namespace {

void requireFinite(const char *what, double value, int64_t step) {
  if (!std::isfinite(value))
    throw Error(
        fmt::format("step {}: {} is {}; --check-numerics names the first op that made such a value",
                    step, what, value));
}

} // namespace

RunSummary train(runtime::Session &session, const Dataset &data, const TrainOptions &options,
                 Progress &progress, CheckpointStore *store, Metrics &metrics) {
  FunctionCall call(session, "train_step");
  BatchBuffer batch(call.batchInputs(), options.batch);
  const double flops = session.flops("train_step");
  RunSummary summary;
  summary.finalLoss = progress.loss;
  int64_t saved = progress.step;

  while (progress.step < options.steps && !StopSignal::received()) {
    const auto begin = std::chrono::steady_clock::now();
    batch.fillTraining(data, progress.seed, progress.position);
    const double lr = options.schedule.rate(progress.step);
    call.run(batch.views(), static_cast<float>(lr), progress.seed, progress.step);

    StepRecord record;
    record.step = progress.step + 1;
    record.totalSteps = options.steps;
    record.loss = call.scalar("loss");
    record.gradNorm = call.scalar("grad_norm");
    record.lr = lr;
    requireFinite("loss", record.loss, record.step);
    requireFinite("grad_norm", record.gradNorm, record.step);
    record.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    record.samplesPerSecond = static_cast<double>(options.batch) / record.seconds;
    record.tokensPerSecond = record.samplesPerSecond * static_cast<double>(data.tokensPerSample());
    record.gflopsPerSecond = flops / record.seconds * 1e-9;

    progress.step = record.step;
    progress.position += static_cast<uint64_t>(options.batch);
    progress.loss = record.loss;
    summary.finalLoss = record.loss;
    metrics.step(record);

    if (options.evaluateEvery > 0 && progress.step % options.evaluateEvery == 0)
      metrics.evaluation(progress.step, options.evaluate());
    if (store && options.checkpointEvery > 0 && progress.step % options.checkpointEvery == 0) {
      summary.checkpoint = store->save(session, progress);
      saved = progress.step;
      metrics.checkpoint(summary.checkpoint, progress.step);
    }
  }

  summary.signal = StopSignal::received();
  summary.steps = progress.step;
  if (store && saved != progress.step) {
    summary.checkpoint = store->save(session, progress);
    metrics.checkpoint(summary.checkpoint, progress.step);
  }
  return summary;
}

} // namespace raf::trainer
