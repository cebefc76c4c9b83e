// manifest.json of a checkpoint: what every file and tensor of it must be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace raf::trainer {

struct Manifest {
  struct File {
    uint64_t bytes = 0;
    std::string checksum;                       // XXH3-128 of the whole file, 32 hex digits
    std::map<std::string, std::string> tensors; // name -> XXH3-128 of its data
  };
  int64_t step = 0;
  std::map<std::string, File> files;

  std::string toJson() const;
  /// Throws InvalidFileError, prefixed with `where`; also for file names that leave the folder.
  static Manifest fromJson(const std::string &text, const std::string &where);
};

/// 32 hex digits.
std::string checksumOf(std::span<const std::byte> bytes);

} // namespace raf::trainer
