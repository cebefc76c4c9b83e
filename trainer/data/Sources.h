// One opener per kind of data file; openDataset chooses by the path.
#pragma once

#include "common/MappedFile.h"
#include "trainer/data/Dataset.h"

namespace raf::trainer {

using Inputs = std::span<const runtime::NamedTensor>;

/// Maps a data file. Throws Error when it cannot be read, InvalidFileError when it is empty.
MappedFile mapData(const std::string &path);

/// Token streams (.txt or any other file as text, .bin of uint16, .npy): windows for next-token
/// prediction. The model must take two integer inputs [B,T], one of them named `labels`.
std::unique_ptr<Dataset> openTokenStream(const DataOptions &options, Inputs inputs);

/// A folder of IDX files as MNIST has them, plain or gzipped: train-images-idx3-ubyte,
/// train-labels-idx1-ubyte, t10k-*. The model must take a float32 image batch [B,...] of the files'
/// size, scaled to [0,1], and integer `labels` [B].
std::unique_ptr<Dataset> openIdxFolder(const DataOptions &options, Inputs inputs);

/// Named tensors (.safetensors, .npz): one per model input, first axis = sample.
std::unique_ptr<Dataset> openNamedTensors(const DataOptions &options, Inputs inputs);

} // namespace raf::trainer
