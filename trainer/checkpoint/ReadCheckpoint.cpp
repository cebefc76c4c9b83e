#include "common/Error.h"
#include "common/MappedFile.h"
#include "common/Safetensors.h"
#include "trainer/checkpoint/CheckpointStore.h"
#include "trainer/checkpoint/Layout.h"
#include "trainer/checkpoint/Manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

namespace raf::trainer {
namespace {

namespace fs = std::filesystem;

std::string_view textOf(const MappedFile &file) {
  return {reinterpret_cast<const char *>(file.bytes().data()), file.bytes().size()};
}

Manifest readManifest(const std::string &path) {
  const std::string where = fs::path(path) / kManifestFile;
  return Manifest::fromJson(std::string(textOf(MappedFile(where))), where);
}

// Checks `name` of the checkpoint against its manifest.
MappedFile openChecked(const std::string &path, const Manifest &manifest, const std::string &name) {
  const std::string where = fs::path(path) / name;
  auto entry = manifest.files.find(name);
  if (entry == manifest.files.end())
    throw InvalidFileError(fmt::format("{}: not in the manifest", where));
  MappedFile file(where);
  if (file.bytes().size() != entry->second.bytes)
    throw InvalidFileError(fmt::format("{}: expected {} bytes, but got {}", where,
                                       entry->second.bytes, file.bytes().size()));
  return file;
}

Progress progressOf(const std::string &path, const Manifest &manifest) {
  const std::string where = fs::path(path) / kProgressFile;
  const MappedFile file = openChecked(path, manifest, kProgressFile);
  if (checksumOf(file.bytes()) != manifest.files.at(kProgressFile).checksum)
    throw InvalidFileError(fmt::format("{}: checksum differs from the manifest", where));
  try {
    const auto json = nlohmann::json::parse(textOf(file));
    Progress progress;
    json.at("step").get_to(progress.step);
    json.at("seed").get_to(progress.seed);
    json.at("position").get_to(progress.position);
    if (!json.at("loss").is_null())
      json.at("loss").get_to(progress.loss);
    progress.config = json.at("config").dump();
    if (progress.step != manifest.step || progress.step < 0)
      throw InvalidFileError(
          fmt::format("{}: expected step {}, but got {}", where, manifest.step, progress.step));
    return progress;
  } catch (const nlohmann::json::exception &) {
    throw InvalidFileError(fmt::format("{}: expected the progress of a run", where));
  }
}

// The checksum of the file tells that something is wrong, those of the tensors what.
void checkTensors(const std::string &where, const SafetensorsFile &tensors,
                  const Manifest::File &entry) {
  for (const SafetensorsEntry &tensor : tensors.tensors()) {
    auto sum = entry.tensors.find(tensor.name);
    if (sum == entry.tensors.end())
      throw InvalidFileError(
          fmt::format("{}: tensor '{}': not in the manifest", where, tensor.name));
    if (checksumOf(tensor.data) != sum->second)
      throw InvalidFileError(
          fmt::format("{}: tensor '{}': checksum differs from the manifest", where, tensor.name));
  }
  for (const auto &[name, sum] : entry.tensors)
    if (!tensors.find(name))
      throw InvalidFileError(fmt::format("{}: tensor '{}' is missing", where, name));
}

SafetensorsFile openTensors(const std::string &path, const Manifest &manifest,
                            const std::string &name) {
  const std::string where = fs::path(path) / name;
  const Manifest::File &entry = (openChecked(path, manifest, name), manifest.files.at(name));
  SafetensorsFile tensors(where);
  checkTensors(where, tensors, entry);
  return tensors;
}

} // namespace

std::vector<CheckpointInfo> listCheckpoints(const std::string &directory) {
  std::vector<CheckpointInfo> found;
  std::error_code error;
  for (const auto &entry : fs::directory_iterator(directory, error))
    if (std::optional<int64_t> step = stepOfFolder(entry.path().filename().string()))
      if (fs::exists(entry.path() / kManifestFile))
        found.push_back({entry.path(), *step});
  std::sort(found.begin(), found.end(),
            [](const auto &a, const auto &b) { return a.step < b.step; });
  return found;
}

std::string findCheckpoint(const std::string &path) {
  std::error_code error;
  if (fs::exists(fs::path(path) / kManifestFile, error))
    return path;
  const std::vector<CheckpointInfo> found = listCheckpoints(path);
  if (found.empty())
    throw Error(fmt::format("{}: expected a checkpoint, but found none", path));
  return found.back().path;
}

Progress readProgress(const std::string &path) { return progressOf(path, readManifest(path)); }

Progress verifyCheckpoint(const std::string &path) {
  const Manifest manifest = readManifest(path);
  for (const auto &[name, entry] : manifest.files)
    if (checksumOf(openChecked(path, manifest, name).bytes()) != entry.checksum) {
      if (!entry.tensors.empty())
        openTensors(path, manifest, name); // names the tensor, where it is one
      throw InvalidFileError(
          fmt::format("{}: checksum differs from the manifest", (fs::path(path) / name).string()));
    }
  return progressOf(path, manifest);
}

std::vector<CheckpointTensor> checkpointTensors(const std::string &path) {
  const Manifest manifest = readManifest(path);
  std::vector<CheckpointTensor> list;
  for (const char *name : {kModelFile, kOptimizerFile}) {
    const SafetensorsFile tensors(fs::path(path) / name);
    for (const SafetensorsEntry &tensor : tensors.tensors())
      list.push_back({tensor.name, name, tensor.dtype, tensor.shape});
  }
  return list;
}

Progress restoreCheckpoint(const std::string &path, runtime::Session &session, Restore what) {
  const Manifest manifest = readManifest(path);
  const Progress progress = progressOf(path, manifest);
  const SafetensorsFile model = openTensors(path, manifest, kModelFile);
  std::optional<SafetensorsFile> optimizer;
  if (what == Restore::All)
    optimizer.emplace(openTensors(path, manifest, kOptimizerFile));

  // All is checked before the first byte is copied.
  std::vector<std::pair<runtime::StateInfo *, const SafetensorsEntry *>> copies;
  size_t optimizerStates = 0, modelStates = 0;
  for (runtime::StateInfo &state : session.state()) {
    const bool ofOptimizer = state.kind == runtime::StateKind::OptimizerState;
    if (ofOptimizer && !optimizer)
      continue;
    const SafetensorsEntry *saved = (ofOptimizer ? *optimizer : model).find(state.name);
    if (!saved)
      throw ShapeError(
          fmt::format("{}: expected a tensor '{}', but there is none", path, state.name));
    if (saved->dtype != state.view.dtype || saved->shape != state.view.shape)
      throw ShapeError(fmt::format("{}: tensor '{}': expected {} [{}], but got {} [{}]", path,
                                   state.name, nameOf(state.view.dtype),
                                   fmt::join(state.view.shape, ","), nameOf(saved->dtype),
                                   fmt::join(saved->shape, ",")));
    copies.emplace_back(&state, saved);
    ++(ofOptimizer ? optimizerStates : modelStates);
  }
  // Weights alone may be more than the function uses; a run to go on with must use all.
  if (what == Restore::All &&
      (modelStates != model.tensors().size() || optimizerStates != optimizer->tensors().size()))
    throw ShapeError(fmt::format(
        "{}: expected {} tensors and {} of optimizer state, but got {} and {}", path, modelStates,
        optimizerStates, model.tensors().size(), optimizer->tensors().size()));
  for (const auto &[state, saved] : copies)
    if (!saved->data.empty())
      std::memcpy(state->view.data, saved->data.data(), saved->data.size());
  return progress;
}

} // namespace raf::trainer
