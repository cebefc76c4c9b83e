// Checkpoints of a run: folders DIR/step-NNNNNNNN that are complete or absent.
//
//   model.safetensors      parameters and buffers
//   optimizer.safetensors  optimizer state
//   trainer.json           step, seed, data position, last loss, configuration
//   manifest.json          size and XXH3-128 of every file, XXH3-128 of every tensor
#pragma once

#include "runtime/session/Session.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace raf::trainer {

/// Where a run stands, besides its tensors.
struct Progress {
  int64_t step = 0; // updates made
  uint64_t seed = 0;
  uint64_t position = 0;                                  // training samples drawn
  double loss = std::numeric_limits<double>::quiet_NaN(); // of the last update
  std::string config; // JSON object: what the run was started with
};

struct CheckpointInfo {
  std::string path;
  int64_t step = 0;
};

/// Complete-looking checkpoints below `directory`, oldest first; empty when it does not exist.
std::vector<CheckpointInfo> listCheckpoints(const std::string &directory);

/// `path` itself when it is a checkpoint, else the newest one below it. Throws Error when there is
/// none.
std::string findCheckpoint(const std::string &path);

/// Reads the trainer.json of the checkpoint `path`, checked against the manifest; no tensor is
/// read. Throws InvalidFileError.
Progress readProgress(const std::string &path);

/// Checks every file and tensor of the checkpoint `path` against its manifest and reads its
/// trainer.json. Throws InvalidFileError naming the file (and tensor) that does not fit.
Progress verifyCheckpoint(const std::string &path);

/// A tensor of a checkpoint, without its data.
struct CheckpointTensor {
  std::string name, file;
  DType dtype;
  std::vector<int64_t> shape;
};

/// What the checkpoint `path` holds, in the order of its files. Throws InvalidFileError.
std::vector<CheckpointTensor> checkpointTensors(const std::string &path);

enum class Restore { All, WeightsOnly };

/// Verifies, then copies every tensor into `session`'s state; with WeightsOnly parameters and
/// buffers alone. Throws InvalidFileError for damage and ShapeError when names, dtypes or shapes
/// differ; the session is then untouched.
Progress restoreCheckpoint(const std::string &path, runtime::Session &session, Restore what);

/// Writes checkpoints into one folder and keeps the newest of them.
class CheckpointStore {
public:
  /// Makes `directory` and locks it: a second run in the same folder is an Error. Removes what a
  /// killed run left unfinished, and nothing else.
  CheckpointStore(std::string directory, int64_t keep = 3);
  ~CheckpointStore();
  CheckpointStore(const CheckpointStore &) = delete;
  CheckpointStore &operator=(const CheckpointStore &) = delete;

  /// Writes DIR/step-NNNNNNNN and removes all but the newest `keep` checkpoints. The folder appears
  /// by one rename after everything in it is on disk; on any failure an Error is thrown, nothing of
  /// it stays behind and older checkpoints are as they were. Returns its path.
  std::string save(runtime::Session &session, const Progress &progress);

private:
  void remove(const std::string &path);

  std::string directory;
  int64_t keep;
  int lock = -1;
};

} // namespace raf::trainer
