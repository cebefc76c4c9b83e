// Arrays of a NumPy .npz file: a zip of .npy files.
#pragma once

#include "trainer/data/Npy.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace raf::trainer {

struct NpzFile {
  std::map<std::string, std::vector<std::byte>> bytes; // of each .npy, by name without extension
  std::map<std::string, NpyArray> arrays;              // into `bytes`
};

/// Reads every array. Throws InvalidFileError for anything that is not a zip of .npy files.
NpzFile readNpz(const std::string &path);

} // namespace raf::trainer
