// The safetensors format: named tensors in one file, read without copying and without running
// anything that the file brings.
//
//   8 bytes   size of the header, little endian
//   header    JSON {"name": {"dtype": "F32", "shape": [2,3], "data_offsets": [begin, end]}, ...,
//             "__metadata__": {"key": "value"}}
//   data      the tensors back to back, without holes
#pragma once

#include "common/DType.h"
#include "common/MappedFile.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace raf {

struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::span<const std::byte> data; // any alignment: copy before use as a wider type
};

struct SafetensorsContents {
  std::vector<SafetensorsEntry> entries; // in the order of their data
  std::map<std::string, std::string> metadata;
};

/// Checks `bytes`, which the result refers to. Throws InvalidFileError, starting with `where` (and
/// the tensor), when they do not fit the format, UnsupportedError for an element type that RAF has
/// not.
SafetensorsContents readSafetensors(std::span<const std::byte> bytes, const std::string &where);

class SafetensorsFile {
public:
  /// Maps and checks `path` as readSafetensors does.
  explicit SafetensorsFile(const std::string &path);

  /// In the order of their data.
  const std::vector<SafetensorsEntry> &tensors() const { return contents.entries; }
  /// Null when there is none of that name.
  const SafetensorsEntry *find(std::string_view name) const;
  const std::map<std::string, std::string> &metadata() const { return contents.metadata; }

private:
  MappedFile file;
  SafetensorsContents contents;
};

/// Writes a file that appears whole or not at all. Equal arguments give equal bytes. Throws Error
/// when it cannot be written, ShapeError when names repeat or data do not fit dtype and shape.
void writeSafetensors(const std::string &path, std::span<const SafetensorsEntry> tensors,
                      const std::map<std::string, std::string> &metadata = {});

} // namespace raf
