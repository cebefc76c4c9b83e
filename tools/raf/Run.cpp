#include "tools/raf/Run.h"

#include "common/Error.h"
#include "tools/raf/Program.h"
#include "tools/raf/TrainingRun.h"
#include "trainer/loop/FunctionCall.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace raf::tool {
namespace {

struct RunCommandFlags {
  std::string file;
  RunFlags run;
  DataFlags data;
  LoopFlags loop;
};

int runFile(const RunCommandFlags &flags) {
  trainer::requireReadable(flags.data.path);
  Program program = openProgram(flags.file, flags.run.sessionOptions());
  runtime::Session &session = *program.session;
  const trainer::FunctionCall step(session, "train_step");
  if (step.batchInputs().empty() || step.batchInputs()[0].view.shape.empty())
    throw ShapeError(fmt::format("{}: expected train_step to take a batch", flags.file));

  RunConfig config;
  config.model = canonicalModel(flags.file);
  config.data = canonicalModel(flags.data.path);
  config.tokenizer = canonicalModel(flags.data.tokenizer);
  config.batch = step.batchInputs()[0].view.shape[0];
  config.schedule = flags.loop.schedule;
  config.lr = flags.loop.lr;
  config.leastLr = flags.loop.leastLr;
  config.warmup = flags.loop.warmup;
  config.steps = flags.loop.steps;
  TrainingRun run(flags.loop, config);

  const int64_t vocabulary =
      session.hasFunction("evaluate") ? vocabularyOf(session, "evaluate") : 0;
  const auto data = trainer::openDataset(
      {flags.data.path, flags.data.tokenizer, vocabulary, flags.loop.seed}, step.batchInputs());
  return run.run(session, *data, 0, nullptr);
}

} // namespace

Action addRun(CLI::App &app) {
  auto flags = std::make_shared<RunCommandFlags>();
  app.add_option("file", flags->file, "Executable made by raf compile, with train_step")
      ->required();
  flags->data.add(app);
  flags->loop.add(app, true);
  flags->run.add(app);
  return [flags] { return runFile(*flags); };
}

} // namespace raf::tool
