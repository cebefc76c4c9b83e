// Files that appear whole or not at all: written under a temporary name in the same folder, synced
// to disk and renamed over the target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace raf {

class AtomicFile {
public:
  /// Creates the temporary file `.NAME.tmp-PID-N` beside `path`. Throws Error naming `path` when
  /// the folder is missing or not writable.
  explicit AtomicFile(std::string path);
  /// Without `commit` nothing stays behind.
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  /// Appends. Throws Error naming the path and the system's reason (full disk, quota).
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);

  /// fsync, rename, fsync of the folder. After it the target holds the new content even if the
  /// machine stops. Throws Error; the old target is then untouched.
  void commit();

  uint64_t written() const { return total; }

private:
  [[noreturn]] void fail(const char *doing, int error);
  void discard();

  std::string path, temporary;
  int fd = -1;
  uint64_t total = 0;
};

/// Whole file at once.
void writeFileAtomically(const std::string &path, std::span<const std::byte> bytes);
void writeFileAtomically(const std::string &path, std::string_view text);

} // namespace raf
