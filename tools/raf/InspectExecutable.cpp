#include "tools/raf/InspectExecutable.h"

#include "common/DType.h"
#include "common/MappedFile.h"
#include "runtime/executable/Executable.h"
#include "trainer/metrics/Metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string_view>

namespace raf::tool {
namespace {

using Json = nlohmann::ordered_json;

template <typename Vector> size_t sizeOfVector(const Vector *vector) {
  return vector ? vector->size() : 0;
}

std::string_view view(const flatbuffers::String *text) {
  return text ? text->string_view() : std::string_view();
}

std::vector<int64_t> shapeOf(const fb::Tensor &tensor) {
  if (!tensor.shape())
    return {};
  return {tensor.shape()->begin(), tensor.shape()->end()};
}

Json describe(const fb::Tensor &tensor) {
  return {{"name", view(tensor.name())},
          {"dtype", nameOf(static_cast<DType>(tensor.dtype()))},
          {"shape", shapeOf(tensor)}};
}

Json describe(const flatbuffers::Vector<flatbuffers::Offset<fb::Tensor>> *tensors) {
  Json list = Json::array();
  for (size_t i = 0; i < sizeOfVector(tensors); ++i)
    list.push_back(describe(*tensors->Get(static_cast<unsigned>(i))));
  return list;
}

Json describe(const fb::Function &function) {
  std::map<std::string, int64_t> dialects;
  for (size_t i = 0; i < sizeOfVector(function.commands()); ++i)
    ++dialects[std::string(view(function.commands()->Get(static_cast<unsigned>(i))->dialect()))];
  return {{"name", view(function.name())},
          {"arena_bytes", function.arena_bytes()},
          {"flops", function.flops()},
          {"commands", sizeOfVector(function.commands())},
          {"dialects", dialects},
          {"inputs", describe(function.inputs())},
          {"outputs", describe(function.outputs())}};
}

Json describe(const fb::Executable &file) {
  Json features = Json::array(), functions = Json::array(), state = Json::array();
  for (size_t i = 0; i < sizeOfVector(file.cpu_features()); ++i)
    features.push_back(view(file.cpu_features()->Get(static_cast<unsigned>(i))));
  for (const fb::Function *function : *file.functions())
    functions.push_back(describe(*function));
  constexpr const char *kinds[] = {"parameter", "buffer", "optimizer state"};
  for (size_t i = 0; i < sizeOfVector(file.state()); ++i) {
    const fb::StateTensor &tensor = *file.state()->Get(static_cast<unsigned>(i));
    Json entry = describe(*tensor.tensor());
    entry["kind"] = kinds[static_cast<size_t>(tensor.kind())];
    entry["init"] = view(tensor.init());
    state.push_back(std::move(entry));
  }
  return {{"kind", "executable"},
          {"producer", view(file.producer())},
          {"cpu_features", features},
          {"kernels", sizeOfVector(file.kernels())},
          {"constant_bytes", sizeOfVector(file.constants())},
          {"state_bytes", file.state_bytes()},
          {"metadata", view(file.metadata())},
          {"functions", functions},
          {"state", state}};
}

void printTensors(const char *kind, const Json &tensors) {
  for (const Json &tensor : tensors)
    fmt::print("  {:<16} {:<40} {} {}\n", kind ? kind : tensor["kind"].get<std::string>(),
               tensor["name"].get<std::string>(), tensor["dtype"].get<std::string>(),
               tensor["shape"].dump());
}

void printText(const Json &file) {
  auto bytes = [](const Json &value) { return trainer::formatBytes(value.get<double>()); };
  fmt::print("executable by {}\n", file["producer"].get<std::string>());
  fmt::print("needs {}\n", fmt::join(file["cpu_features"].get<std::vector<std::string>>(), " "));
  fmt::print("{} kernels, {} of constants, {} of state\n", file["kernels"].get<int64_t>(),
             bytes(file["constant_bytes"]), bytes(file["state_bytes"]));
  for (const Json &function : file["functions"]) {
    fmt::print("function {}: {} commands, {} of activations, {:.3f} GFLOP\n",
               function["name"].get<std::string>(), function["commands"].get<int64_t>(),
               bytes(function["arena_bytes"]), function["flops"].get<double>() * 1e-9);
    for (const auto &[dialect, count] : function["dialects"].items())
      fmt::print("  {:>6} x {}\n", count.get<int64_t>(), dialect);
    printTensors("input", function["inputs"]);
    printTensors("output", function["outputs"]);
  }
  fmt::print("state\n");
  printTensors(nullptr, file["state"]);
}

} // namespace

int inspectExecutable(const std::string &path, bool json) {
  const MappedFile file(path);
  const Json description = describe(executable::open(file.bytes(), path));
  if (json)
    fmt::print("{}\n", description.dump());
  else
    printText(description);
  return 0;
}

} // namespace raf::tool
