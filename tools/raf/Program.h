// From a MODEL argument to a session that runs it.
#pragma once

#include "tools/raf/Flags.h"
#include "tools/raf/RunConfig.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace raf::tool {

struct Program {
  CompileResult compiled; // of a file: only `executable`
  std::unique_ptr<runtime::Session> session;
};

/// `batch` 0: the model's own.
ModelSource sourceOf(const std::string &model, int64_t batch);

/// Compiles `model` for batches of `batch` samples (0: the model's own), with a progress bar where
/// stderr is a terminal.
CompileResult compileModel(const std::string &model, int64_t batch, CompileOptions options);

/// Compiles and loads.
Program buildProgram(const std::string &model, int64_t batch, const CompileOptions &options,
                     const runtime::SessionOptions &session);

/// Loads an executable file.
Program openProgram(const std::string &path, const runtime::SessionOptions &session);

ModelInfo inspectModel(const std::string &model, int64_t batch);

/// Token ids must be below it: the last extent of the output `logits`; 0 when there is none.
int64_t vocabularyOf(const ModelInfo &info);
int64_t vocabularyOf(const runtime::Session &session, std::string_view function);

/// What `MODEL [--checkpoint DIR]` means: MODEL may be a checkpoint or a folder of some, which know
/// their model.
struct TrainedModel {
  std::string model;
  std::string checkpoint; // folder of one checkpoint; empty: initial parameters
  RunConfig config;       // of the checkpoint
};
TrainedModel findTrainedModel(const std::string &model, const std::string &checkpoint);

} // namespace raf::tool
