#include "tools/raf/Generate.h"

#include "common/Error.h"
#include "tools/raf/Checks.h"
#include "tools/raf/Program.h"
#include "trainer/checkpoint/CheckpointStore.h"
#include "trainer/data/Tokenizer.h"
#include "trainer/loop/Generate.h"
#include "trainer/loop/InitializeState.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace raf::tool {
namespace {

struct GenerateFlags {
  std::string model, checkpoint, tokenizer, prompt = "\n";
  int64_t tokens = 200;
  trainer::SamplingOptions sampling;
  CompileFlags compile;
  RunFlags run;
};

void write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
}

int generate(GenerateFlags flags) {
  const runtime::SessionOptions sessionOptions = flags.run.sessionOptions();
  const TrainedModel model = findTrainedModel(flags.model, flags.checkpoint);
  if (!model.checkpoint.empty() && flags.tokenizer.empty())
    flags.tokenizer = model.config.tokenizer;
  const auto tokenizer = flags.tokenizer.empty() ? trainer::makeByteTokenizer()
                                                 : trainer::openSentencePiece(flags.tokenizer);
  std::vector<int64_t> tokens = tokenizer->encode(flags.prompt);
  if (tokens.empty())
    throw UsageError("--prompt: expected at least one token");

  Program program =
      buildProgram(model.model, 1, flags.compile.options({"forward"}, flags.run), sessionOptions);
  if (!model.checkpoint.empty())
    trainer::restoreCheckpoint(model.checkpoint, *program.session, trainer::Restore::WeightsOnly);
  else
    for (const runtime::StateInfo &state : program.session->state())
      trainer::initializeState(state, flags.sampling.seed);

  // A piece's text may depend on its neighbours, so the whole is decoded and what is new printed;
  // a character whose bytes have not all come yet (U+FFFD) waits.
  size_t printed = 0;
  std::string text;
  auto show = [&](bool last) {
    text = tokenizer->decode(tokens);
    if (!last && text.ends_with("\xEF\xBF\xBD"))
      return;
    write(std::string_view(text).substr(std::min(printed, text.size())));
    printed = text.size();
  };
  show(false);
  trainer::generate(*program.session, tokens, flags.tokens, flags.sampling, [&](int64_t token) {
    if (token >= tokenizer->vocabulary())
      throw Error(fmt::format("generate: the model made token {}, but the tokenizer has {}", token,
                              tokenizer->vocabulary()));
    show(false);
    return true;
  });
  show(true);
  write("\n");
  return 0;
}

} // namespace

Action addGenerate(CLI::App &app) {
  auto flags = std::make_shared<GenerateFlags>();
  app.add_option("model", flags->model,
                 "Checkpoint, zoo name with options, or a .pt2, .onnx or .mlir file")
      ->required();
  app.add_option("--checkpoint", flags->checkpoint, "Weights of MODEL (default: initial ones)");
  app.add_option("--prompt", flags->prompt, "Text to continue (default: a line end)");
  app.add_option("--tokens", flags->tokens, "Tokens to make")
      ->check(atLeast(0))
      ->capture_default_str();
  app.add_option("--temperature", flags->sampling.temperature, "0: always the likeliest token")
      ->check(atLeast(0))
      ->capture_default_str();
  app.add_option("--top-k", flags->sampling.topK, "Draw from the k likeliest tokens only; 0: all")
      ->check(atLeast(0))
      ->capture_default_str();
  app.add_option("--seed", flags->sampling.seed, "Of the draws")->capture_default_str();
  app.add_option("--tokenizer", flags->tokenizer,
                 "SentencePiece model (default: as trained, else bytes)");
  flags->compile.add(app, false);
  flags->run.add(app);
  return [flags] { return generate(*flags); };
}

} // namespace raf::tool
