// Samples for training and evaluation, addressed by number so that any order can be drawn.
#pragma once

#include "runtime/session/Session.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace raf::trainer {

/// Held out is the last tenth of the data (the test files of an IDX folder).
enum class Split { Train, HeldOut };

class Dataset {
public:
  virtual ~Dataset() = default;

  /// Number of samples in one epoch; 0 when the split is too short for one.
  virtual int64_t samples(Split split) const = 0;

  /// Writes sample `index` of `epoch` into row `row` of every tensor of `batch`: the model's inputs
  /// in the order given to `openDataset`, with any first extent.
  virtual void read(Split split, uint64_t epoch, int64_t index, int64_t row,
                    std::span<const runtime::TensorView> batch) const = 0;

  /// Tokens of one sample, 0 when the data are not tokens.
  virtual int64_t tokensPerSample() const { return 0; }
};

struct DataOptions {
  std::string path;
  std::string tokenizer;  // SentencePiece model for a text file; empty: bytes
  int64_t vocabulary = 0; // token ids and labels must be below; 0: unknown, not checked
  uint64_t seed = 0;      // moves the windows cut from a token stream in every epoch
};

/// Throws Error when `path` is missing or not readable: the cheapest check of all.
void requireReadable(const std::string &path);

/// True when a file of that name is read as text: one that is none of the other kinds.
bool isText(const std::string &path);

/// Opens what `--data` names: a text file, token ids (.bin of uint16, .npy), an IDX folder, or a
/// .safetensors/.npz of tensors named after `inputs` (names, dtypes, shapes with the batch first).
/// Throws InvalidFileError for bytes that do not fit their format or the vocabulary, ShapeError for
/// data that do not fit `inputs`.
std::unique_ptr<Dataset> openDataset(const DataOptions &options,
                                     std::span<const runtime::NamedTensor> inputs);

/// Memory for one batch of `size` samples.
class BatchBuffer {
public:
  /// `inputs` say names, dtypes and shapes; their first extent is replaced by `size`.
  BatchBuffer(std::span<const runtime::NamedTensor> inputs, int64_t size);

  /// Training samples number `position`, `position` + 1, ... of an endless sequence of shuffled
  /// epochs.
  void fillTraining(const Dataset &data, uint64_t seed, uint64_t position);
  /// Held-out samples `first`, `first` + 1, ... in file order.
  void fillHeldOut(const Dataset &data, int64_t first);

  int64_t size() const { return rows; }
  std::span<const runtime::TensorView> views() const { return tensors; }

private:
  int64_t rows;
  std::vector<std::vector<std::byte>> storage;
  std::vector<runtime::TensorView> tensors;
};

} // namespace raf::trainer
