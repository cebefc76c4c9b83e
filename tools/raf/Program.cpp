#include "tools/raf/Program.h"

#include "common/Error.h"
#include "common/MappedFile.h"
#include "trainer/checkpoint/CheckpointStore.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace raf::tool {
namespace {

int64_t lastExtentOfLogits(std::string_view name, const std::vector<int64_t> &shape) {
  return name == "logits" && !shape.empty() ? shape.back() : 0;
}

} // namespace

ModelSource sourceOf(const std::string &model, int64_t batch) {
  ModelSource source;
  source.spec = model;
  if (batch > 0)
    source.sizes["batch"] = batch;
  return source;
}

CompileResult compileModel(const std::string &model, int64_t batch, CompileOptions options) {
  if (isatty(STDERR_FILENO))
    options.progress = [](const std::string &phase, double fraction) {
      fmt::print(stderr, "\r\033[Kcompiling {:3.0f}%  {}", 100 * fraction, phase);
      std::fflush(stderr);
    };
  struct ClearLine {
    bool active;
    ~ClearLine() {
      if (active)
        fmt::print(stderr, "\r\033[K");
    }
  } clear{static_cast<bool>(options.progress)};
  return loadCompiler().compile(sourceOf(model, batch), options);
}

Program buildProgram(const std::string &model, int64_t batch, const CompileOptions &options,
                     const runtime::SessionOptions &session) {
  Program program;
  program.compiled = compileModel(model, batch, options);
  program.session = runtime::Session::load(program.compiled.executable, session);
  return program;
}

Program openProgram(const std::string &path, const runtime::SessionOptions &session) {
  Program program;
  program.session = runtime::Session::loadFile(path, session);
  return program;
}

ModelInfo inspectModel(const std::string &model, int64_t batch) {
  return loadCompiler().inspect(sourceOf(model, batch));
}

int64_t vocabularyOf(const ModelInfo &info) {
  for (const TensorSpec &output : info.outputs)
    if (int64_t extent = lastExtentOfLogits(output.name, output.shape))
      return extent;
  return 0;
}

int64_t vocabularyOf(const runtime::Session &session, std::string_view function) {
  for (const runtime::NamedTensor &output : session.outputs(function))
    if (int64_t extent = lastExtentOfLogits(output.name, output.view.shape))
      return extent;
  return 0;
}

TrainedModel findTrainedModel(const std::string &model, const std::string &checkpoint) {
  TrainedModel found{canonicalModel(model), {}, {}};
  const bool isFolder = std::filesystem::is_directory(model);
  if (isFolder && !checkpoint.empty())
    throw UsageError(fmt::format("{} is a checkpoint already: expected no --checkpoint", model));
  if (!isFolder && checkpoint.empty())
    return found;
  found.checkpoint = trainer::findCheckpoint(isFolder ? model : checkpoint);
  found.config =
      RunConfig::fromJson(trainer::readProgress(found.checkpoint).config, found.checkpoint);
  if (isFolder)
    found.model = found.config.model;
  return found;
}

} // namespace raf::tool
