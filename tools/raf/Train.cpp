#include "tools/raf/Train.h"

#include "common/Error.h"
#include "tools/raf/Program.h"
#include "tools/raf/TrainingRun.h"
#include "trainer/loop/FunctionCall.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace raf::tool {
namespace {

struct TrainFlags {
  std::string model;
  CompileFlags compile;
  RunFlags run;
  DataFlags data;
  LoopFlags loop;
};

RunConfig configOf(const TrainFlags &flags) {
  RunConfig config;
  config.model = canonicalModel(flags.model);
  config.loss = flags.compile.loss;
  config.amp = flags.compile.amp;
  config.optimizer = flags.compile.optimizerSpec();
  config.clip = flags.compile.clip;
  config.gradAccum = flags.compile.gradAccum;
  config.data = canonicalModel(flags.data.path);
  config.tokenizer = canonicalModel(flags.data.tokenizer);
  config.batch = flags.loop.batch;
  config.schedule = flags.loop.schedule;
  config.lr = flags.loop.lr;
  config.leastLr = flags.loop.leastLr;
  config.warmup = flags.loop.warmup;
  config.steps = flags.loop.steps;
  return config;
}

// In the order of what costs least to find wrong: options, data, checkpoint folder, compilation.
int train(const TrainFlags &flags) {
  const runtime::SessionOptions sessionOptions = flags.run.sessionOptions();
  const int64_t batch = flags.loop.batch;
  if (batch % flags.compile.gradAccum != 0)
    throw UsageError(fmt::format("--batch {}: expected a multiple of --grad-accum {}", batch,
                                 flags.compile.gradAccum));
  const CompileOptions options = flags.compile.options({"train_step", "evaluate"}, flags.run);

  trainer::requireReadable(flags.data.path);
  TrainingRun run(flags.loop, configOf(flags));

  // The model's own signature lacks what --loss adds, so the data are bound to the step's.
  const int64_t vocabulary = vocabularyOf(inspectModel(flags.model, batch));
  Program program = buildProgram(flags.model, batch, options, sessionOptions);
  const trainer::FunctionCall step(*program.session, "train_step");
  const auto data = trainer::openDataset(
      {flags.data.path, flags.data.tokenizer, vocabulary, flags.loop.seed}, step.batchInputs());
  Program rest; // evaluates the last held-out samples, where they do not fill a batch
  auto remainder = [&](int64_t rows) -> runtime::Session & {
    if (!rest.session) {
      CompileOptions evaluateOnly = options;
      evaluateOnly.functions = {"evaluate"};
      evaluateOnly.gradAccum = 1;
      rest = buildProgram(flags.model, rows, evaluateOnly, sessionOptions);
    }
    trainer::copyState(*program.session, *rest.session);
    return *rest.session;
  };
  return run.run(*program.session, *data, program.compiled.seconds, remainder);
}

} // namespace

Action addTrain(CLI::App &app) {
  auto flags = std::make_shared<TrainFlags>();
  app.add_option("model", flags->model, "Zoo name with options, or a .pt2, .onnx or .mlir file")
      ->required();
  flags->data.add(app);
  flags->loop.add(app, false);
  flags->compile.add(app, true);
  flags->run.add(app);
  return [flags] { return train(*flags); };
}

} // namespace raf::tool
