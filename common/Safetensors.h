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

class SafetensorsFile {
public:
  /// Maps and checks `path`. Throws InvalidFileError naming the file (and tensor) when its bytes do
  /// not fit the format, UnsupportedError for an element type that RAF has not.
  explicit SafetensorsFile(const std::string &path);

  /// In the order of their data.
  const std::vector<SafetensorsEntry> &tensors() const { return entries; }
  /// Null when there is none of that name.
  const SafetensorsEntry *find(std::string_view name) const;
  const std::map<std::string, std::string> &metadata() const { return pairs; }

private:
  MappedFile file;
  std::vector<SafetensorsEntry> entries;
  std::map<std::string, std::string> pairs;
};

/// Writes a file that appears whole or not at all. Equal arguments give equal bytes. Throws Error
/// when it cannot be written, ShapeError when names repeat or data do not fit dtype and shape.
void writeSafetensors(const std::string &path, std::span<const SafetensorsEntry> tensors,
                      const std::map<std::string, std::string> &metadata = {});

} // namespace raf
