// Header of a NumPy .npy file.
#pragma once

#include "common/DType.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace raf::trainer {

struct NpyArray {
  std::string typeName; // NumPy's, e.g. "<u2"
  DType dtype;          // same bytes; uint16 and uint32 as I16 and I32 with `isUnsigned`
  bool isUnsigned = false;
  std::vector<int64_t> shape;
  std::span<const std::byte> data; // into the bytes given
};

/// Reads an array in C order, little-endian. `where` opens every message. Throws InvalidFileError.
NpyArray parseNpy(std::span<const std::byte> bytes, const std::string &where);

/// Bytes of the magic, version and header, read from the first 12 bytes; 0 when they are not .npy.
size_t npyHeaderBytes(std::span<const std::byte> start);

} // namespace raf::trainer
