#include "tools/raf/Eval.h"

#include "common/Error.h"
#include "tools/raf/Checks.h"
#include "tools/raf/Program.h"
#include "trainer/checkpoint/CheckpointStore.h"
#include "trainer/loop/Evaluate.h"
#include "trainer/loop/FunctionCall.h"
#include "trainer/loop/InitializeState.h"
#include "trainer/metrics/Metrics.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>
#include <unistd.h>

namespace raf::tool {
namespace {

struct EvalFlags {
  std::string model, checkpoint;
  int64_t batch = 0;
  uint64_t seed = 0;
  CompileFlags compile;
  RunFlags run;
  DataFlags data;
  bool json = false;
};

void print(const EvalFlags &flags, const TrainedModel &model, const trainer::Evaluation &result,
           bool bytes) {
  if (flags.json) {
    nlohmann::ordered_json line{{"event", "done"},
                                {"held_out_loss", result.loss},
                                {"samples", result.samples},
                                {"seconds", result.seconds}};
    if (result.tokens > 0) {
      line["tokens"] = result.tokens;
      line["perplexity"] = std::exp(result.loss);
    }
    if (!model.checkpoint.empty())
      line["checkpoint"] = model.checkpoint;
    fmt::print("{}\n", line.dump());
    return;
  }
  fmt::print("held-out loss {:.4f}{}  ({} samples, {:.2f} s)\n", result.loss,
             result.tokens == 0 ? ""
             : bytes            ? " nats per byte"
                                : " nats per token",
             result.samples, result.seconds);
}

int eval(EvalFlags flags) {
  const runtime::SessionOptions sessionOptions = flags.run.sessionOptions();
  trainer::requireReadable(flags.data.path);
  const TrainedModel model = findTrainedModel(flags.model, flags.checkpoint);
  if (!model.checkpoint.empty()) { // what is not said again is as it was trained
    if (flags.compile.loss.empty())
      flags.compile.loss = model.config.loss;
    if (flags.data.tokenizer.empty())
      flags.data.tokenizer = model.config.tokenizer;
    if (flags.batch == 0)
      flags.batch = model.config.batch;
  }
  const int64_t batch = flags.batch > 0 ? flags.batch : 8;
  const CompileOptions options = flags.compile.options({"evaluate"}, flags.run);

  auto load = [&](int64_t rows) {
    Program program = buildProgram(model.model, rows, options, sessionOptions);
    if (!model.checkpoint.empty())
      trainer::restoreCheckpoint(model.checkpoint, *program.session, trainer::Restore::WeightsOnly);
    else
      for (const runtime::StateInfo &state : program.session->state())
        trainer::initializeState(state, flags.seed);
    return program;
  };
  const int64_t vocabulary = vocabularyOf(inspectModel(model.model, batch));
  Program program = load(batch), rest;
  const trainer::FunctionCall call(*program.session, "evaluate");
  const auto data = trainer::openDataset(
      {flags.data.path, flags.data.tokenizer, vocabulary, flags.seed}, call.batchInputs());
  auto remainder = [&](int64_t rows) -> runtime::Session & {
    rest = load(rows);
    return *rest.session;
  };
  const bool bar = isatty(STDERR_FILENO) != 0;
  const trainer::Evaluation result = trainer::evaluate(
      *program.session, batch, remainder, *data, flags.seed, [&](int64_t done, int64_t total) {
        if (bar)
          fmt::print(stderr, "\r\033[K{}",
                     done == total ? "" : fmt::format("evaluating {}/{} samples", done, total));
      });
  print(flags, model, result, flags.data.tokenizer.empty() && trainer::isText(flags.data.path));
  return 0;
}

} // namespace

Action addEval(CLI::App &app) {
  auto flags = std::make_shared<EvalFlags>();
  app.add_option("model", flags->model,
                 "Checkpoint, zoo name with options, or a .pt2, .onnx or .mlir file")
      ->required();
  app.add_option("--checkpoint", flags->checkpoint, "Weights of MODEL (default: initial ones)");
  app.add_option("--batch", flags->batch, "Samples at a time (default: as trained, else 8)")
      ->check(atLeast(1));
  app.add_option("--seed", flags->seed, "Of initial parameters")->capture_default_str();
  app.add_flag("--json", flags->json, "One JSON object on stdout");
  flags->data.add(app);
  flags->compile.add(app, false);
  flags->run.add(app);
  return [flags] { return eval(*flags); };
}

} // namespace raf::tool
