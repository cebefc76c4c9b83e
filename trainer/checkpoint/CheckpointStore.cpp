#include "trainer/checkpoint/CheckpointStore.h"

#include "common/AtomicFile.h"
#include "common/Error.h"
#include "common/MappedFile.h"
#include "common/Safetensors.h"
#include "trainer/checkpoint/Layout.h"
#include "trainer/checkpoint/Manifest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace raf::trainer {
namespace {

namespace fs = std::filesystem;

// Renames of entries of `folder` are on disk after it.
void syncFolder(const std::string &folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0)
    ::close(fd);
  if (!synced)
    throw Error(fmt::format("{}: cannot sync: {}", folder, std::strerror(error)));
}

bool isOptimizerState(const runtime::StateInfo &state) {
  return state.kind == runtime::StateKind::OptimizerState;
}

void writeTensors(const fs::path &folder, const char *name, runtime::Session &session,
                  bool ofOptimizer, Manifest &manifest) {
  std::vector<SafetensorsEntry> tensors;
  Manifest::File &file = manifest.files[name];
  for (const runtime::StateInfo &state : session.state()) {
    if (isOptimizerState(state) != ofOptimizer)
      continue;
    const std::span<const std::byte> data{static_cast<const std::byte *>(state.view.data),
                                          state.view.bytes()};
    tensors.push_back({state.name, state.view.dtype, state.view.shape, data});
    file.tensors[state.name] = checksumOf(data);
  }
  writeSafetensors(folder / name, tensors, {{"format", "raf"}});
  const MappedFile written(folder / name);
  file.bytes = written.bytes().size();
  file.checksum = checksumOf(written.bytes());
}

std::string progressJson(const Progress &progress) {
  nlohmann::ordered_json json;
  json["step"] = progress.step;
  json["seed"] = progress.seed;
  json["position"] = progress.position;
  json["loss"] = progress.loss; // NaN, before the first update, prints as null
  json["config"] = nlohmann::ordered_json::parse(progress.config.empty() ? "{}" : progress.config);
  return json.dump(1) + "\n";
}

} // namespace

CheckpointStore::CheckpointStore(std::string folder, int64_t keep)
    : directory(std::move(folder)), keep(keep) {
  std::error_code error;
  fs::create_directories(directory, error);
  const std::string lockPath = fs::path(directory) / kLockFile;
  lock = ::open(lockPath.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0)
    throw Error(fmt::format("{}: cannot keep checkpoints here: {}", directory,
                            error ? error.message() : std::strerror(errno)));
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    ::close(lock);
    throw Error(reason == EWOULDBLOCK
                    ? fmt::format("{}: another run keeps its checkpoints here", directory)
                    : fmt::format("{}: cannot lock: {}", directory, std::strerror(reason)));
  }
  for (const auto &entry : fs::directory_iterator(directory, error))
    if (entry.path().filename().string().starts_with(kUnfinishedPrefix))
      fs::remove_all(entry.path(), error);
}

CheckpointStore::~CheckpointStore() { ::close(lock); }

std::string CheckpointStore::save(runtime::Session &session, const Progress &progress) {
  const fs::path target = fs::path(directory) / folderOfStep(progress.step);
  const fs::path unfinished =
      fs::path(directory) / fmt::format("{}{}", kUnfinishedPrefix, folderOfStep(progress.step));
  std::error_code error;
  fs::remove_all(unfinished, error);
  if (!fs::create_directory(unfinished, error))
    throw Error(fmt::format("{}: cannot create: {}", unfinished.string(), error.message()));
  try {
    Manifest manifest;
    manifest.step = progress.step;
    writeTensors(unfinished, kModelFile, session, false, manifest);
    writeTensors(unfinished, kOptimizerFile, session, true, manifest);
    const std::string text = progressJson(progress);
    writeFileAtomically(unfinished / kProgressFile, text);
    manifest.files[kProgressFile] = {
        text.size(), checksumOf(std::as_bytes(std::span(text.data(), text.size()))), {}};
    writeFileAtomically(unfinished / kManifestFile, manifest.toJson());
    syncFolder(unfinished);
    // One of the same step, from before a resumption, gives way.
    if (fs::exists(target))
      remove(target);
    if (std::rename(unfinished.c_str(), target.c_str()) != 0)
      throw Error(fmt::format("{}: cannot rename: {}", target.string(), std::strerror(errno)));
    syncFolder(directory);
  } catch (...) {
    fs::remove_all(unfinished, error);
    throw;
  }
  const std::vector<CheckpointInfo> all = listCheckpoints(directory);
  for (size_t i = 0; i + static_cast<size_t>(keep) < all.size(); ++i)
    remove(all[i].path);
  return target;
}

// First out of sight by one rename, so that no half-removed folder looks like a checkpoint.
void CheckpointStore::remove(const std::string &path) {
  const fs::path hidden = fs::path(directory) / fmt::format("{}old-{}", kUnfinishedPrefix,
                                                            fs::path(path).filename().string());
  std::error_code error;
  fs::remove_all(hidden, error);
  if (std::rename(path.c_str(), hidden.c_str()) != 0)
    throw Error(fmt::format("{}: cannot remove: {}", path, std::strerror(errno)));
  fs::remove_all(hidden, error);
}

} // namespace raf::trainer
