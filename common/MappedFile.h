// A whole file mapped read-only: zero-copy reading. The file must not be truncated while mapped.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace raf {

class MappedFile {
public:
  /// Throws Error naming the path when it cannot be opened, is a folder, or cannot be mapped.
  explicit MappedFile(const std::string &path);
  ~MappedFile();
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;

  /// Starts at a page boundary; empty for an empty file.
  std::span<const std::byte> bytes() const { return {data, size}; }

private:
  const std::byte *data = nullptr;
  size_t size = 0;
};

} // namespace raf
