#include "tools/raf/Inspect.h"

#include "common/Error.h"
#include "tools/raf/Checks.h"
#include "tools/raf/InspectExecutable.h"
#include "tools/raf/Program.h"
#include "trainer/checkpoint/CheckpointStore.h"
#include "trainer/metrics/Metrics.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace raf::tool {
namespace {

using Json = nlohmann::ordered_json;

struct InspectFlags {
  std::string file;
  int64_t batch = 0;
  bool json = false, dot = false, ir = false, zoo = false;
};

std::string typeOf(DType dtype, const std::vector<int64_t> &shape) {
  return fmt::format("{} [{}]", nameOf(dtype), fmt::join(shape, ","));
}

Json toJson(const std::vector<TensorSpec> &tensors) {
  Json list = Json::array();
  for (const TensorSpec &tensor : tensors) {
    Json entry{{"name", tensor.name}, {"dtype", nameOf(tensor.dtype)}, {"shape", tensor.shape}};
    if (!tensor.kind.empty())
      entry["kind"] = tensor.kind;
    if (!tensor.init.empty())
      entry["init"] = tensor.init;
    list.push_back(std::move(entry));
  }
  return list;
}

int inspectModelSource(const InspectFlags &flags) {
  const ModelSource source = sourceOf(canonicalModel(flags.file), flags.batch);
  if (flags.dot || flags.ir) {
    fmt::print("{}", flags.dot ? loadCompiler().dot(source) : loadCompiler().print(source));
    return 0;
  }
  const ModelInfo info = loadCompiler().inspect(source);
  if (flags.json) {
    Json ops;
    for (const auto &[op, count] : info.opCensus)
      ops[op] = count;
    fmt::print("{}\n", Json{{"kind", "model"},
                            {"name", info.name},
                            {"parameter_count", info.parameterCount},
                            {"parameter_bytes", info.parameterBytes},
                            {"activation_bytes", info.activationBytes},
                            {"forward_flops", info.forwardFlops},
                            {"inputs", toJson(info.inputs)},
                            {"outputs", toJson(info.outputs)},
                            {"parameters", toJson(info.parameters)},
                            {"ops", ops}}
                           .dump());
    return 0;
  }
  fmt::print("model {}\n", info.name);
  fmt::print("parameters: {} ({})\n", info.parameterCount,
             trainer::formatBytes(static_cast<double>(info.parameterBytes)));
  fmt::print("activations kept for the backward pass: {}\n",
             trainer::formatBytes(static_cast<double>(info.activationBytes)));
  fmt::print("forward: {:.3f} GFLOP\n", info.forwardFlops * 1e-9);
  for (const TensorSpec &tensor : info.inputs)
    fmt::print("  input  {:<32} {}\n", tensor.name, typeOf(tensor.dtype, tensor.shape));
  for (const TensorSpec &tensor : info.outputs)
    fmt::print("  output {:<32} {}\n", tensor.name, typeOf(tensor.dtype, tensor.shape));
  for (const TensorSpec &tensor : info.parameters)
    fmt::print("  {:<6} {:<32} {}  {}\n", tensor.kind.substr(0, 6), tensor.name,
               typeOf(tensor.dtype, tensor.shape), tensor.init);
  for (const auto &[op, count] : info.opCensus)
    fmt::print("{:>6} x {}\n", count, op);
  return 0;
}

int inspectCheckpoint(const InspectFlags &flags) {
  const std::string path = trainer::findCheckpoint(flags.file);
  const trainer::Progress progress = trainer::verifyCheckpoint(path);
  const std::vector<trainer::CheckpointTensor> tensors = trainer::checkpointTensors(path);
  const RunConfig config = RunConfig::fromJson(progress.config, path);
  if (flags.json) {
    Json list = Json::array();
    for (const trainer::CheckpointTensor &tensor : tensors)
      list.push_back({{"name", tensor.name},
                      {"file", tensor.file},
                      {"dtype", nameOf(tensor.dtype)},
                      {"shape", tensor.shape}});
    fmt::print("{}\n", Json{{"kind", "checkpoint"},
                            {"path", path},
                            {"step", progress.step},
                            {"seed", progress.seed},
                            {"position", progress.position},
                            {"last_loss", progress.loss},
                            {"config", Json::parse(config.toJson())},
                            {"tensors", list}}
                           .dump());
    return 0;
  }
  fmt::print("checkpoint {}: every checksum fits\n", path);
  fmt::print("step {}, seed {}, {} samples drawn, loss {}\n", progress.step, progress.seed,
             progress.position, progress.loss);
  fmt::print("config {}\n", config.toJson());
  for (const trainer::CheckpointTensor &tensor : tensors)
    fmt::print("  {:<22} {:<40} {}\n", tensor.file, tensor.name,
               typeOf(tensor.dtype, tensor.shape));
  return 0;
}

int listZoo(bool json) {
  const auto models = loadCompiler().zoo();
  if (json) {
    Json list;
    for (const auto &[name, text] : models)
      list[name] = text;
    fmt::print("{}\n", list.dump());
    return 0;
  }
  for (const auto &[name, text] : models)
    fmt::print("{:<12} {}\n", name, text);
  return 0;
}

int inspect(const InspectFlags &flags) {
  if (flags.zoo)
    return listZoo(flags.json);
  if (flags.file.empty())
    throw UsageError("inspect: expected a model, executable or checkpoint, or --zoo");
  const bool isExecutable = std::filesystem::path(flags.file).extension() == ".rafx";
  const bool isCheckpoint = std::filesystem::is_directory(flags.file);
  if ((isExecutable || isCheckpoint) && (flags.dot || flags.ir))
    throw UsageError(fmt::format("{}: expected a model for --dot or --ir", flags.file));
  if (isExecutable)
    return inspectExecutable(flags.file, flags.json);
  return isCheckpoint ? inspectCheckpoint(flags) : inspectModelSource(flags);
}

} // namespace

Action addInspect(CLI::App &app) {
  auto flags = std::make_shared<InspectFlags>();
  app.add_option("file", flags->file,
                 "Zoo name with options, .pt2, .onnx, .mlir, .rafx, or checkpoint folder");
  app.add_option("--batch", flags->batch, "Samples the model is built for (default: its own)")
      ->check(atLeast(1));
  app.add_flag("--json", flags->json, "One JSON object on stdout");
  auto *dot = app.add_flag("--dot", flags->dot, "The model's graph for Graphviz");
  app.add_flag("--ir", flags->ir, "The model's IR, as raf-opt reads it")->excludes(dot);
  app.add_flag("--zoo", flags->zoo, "List the built-in models and their options");
  return [flags] { return inspect(*flags); };
}

} // namespace raf::tool
