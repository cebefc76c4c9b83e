// Memory taken once at load: state, activations, scratch and workspace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace raf::runtime {

/// Zero-filled pages, handed out by the system when first touched. From 2 MiB on the block starts
/// at a 2 MiB boundary and asks for huge pages; smaller ones start at a page boundary.
class Arena {
public:
  Arena() = default;
  /// Throws OutOfMemoryError naming `purpose` when the system has no such range.
  Arena(size_t bytes, const char *purpose);
  ~Arena();
  Arena(Arena &&other) noexcept
      : base(std::exchange(other.base, nullptr)), size(std::exchange(other.size, 0)) {}
  Arena &operator=(Arena &&other) noexcept {
    std::swap(base, other.base);
    std::swap(size, other.size);
    return *this;
  }

  std::byte *data() const { return base; } // null for no bytes
  size_t bytes() const { return size; }

  /// Of all arenas of this process, for tests and reports.
  static size_t liveBytes();

private:
  std::byte *base = nullptr;
  size_t size = 0;
};

/// Bytes of main memory of this machine.
uint64_t physicalMemory();

constexpr size_t roundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

} // namespace raf::runtime
