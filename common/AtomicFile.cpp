#include "common/AtomicFile.h"

#include "common/Error.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace raf {
namespace {

std::string folderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string temporaryFor(const std::string &path) {
  static std::atomic<unsigned> counter{0};
  const size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return fmt::format("{}/.{}.tmp-{}-{}", folderOf(path), name, ::getpid(), counter++);
}

} // namespace

AtomicFile::AtomicFile(std::string target)
    : path(std::move(target)), temporary(temporaryFor(path)) {
  fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    fail("create", errno);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (fd < 0)
    return;
  ::close(fd);
  ::unlink(temporary.c_str());
  fd = -1;
}

void AtomicFile::fail(const char *doing, int error) {
  discard();
  throw Error(fmt::format("{}: cannot {}: {}", path, doing, std::strerror(error)));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (fd < 0)
    fail("write", EBADF);
  while (!bytes.empty()) {
    const size_t chunk = std::min<size_t>(bytes.size(), size_t{1} << 30);
    const ssize_t n = ::write(fd, bytes.data(), chunk);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      fail("write", errno);
    bytes = bytes.subspan(static_cast<size_t>(n));
    total += static_cast<uint64_t>(n);
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text.data(), text.size())));
}

void AtomicFile::commit() {
  if (fd < 0)
    fail("commit", EBADF);
  if (::fsync(fd) != 0)
    fail("sync", errno);
  // Network file systems report a full disk only here.
  const int closed = ::close(std::exchange(fd, -1));
  if (closed != 0 || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    fail(closed != 0 ? "close" : "rename", error);
  }
  const int folder = ::open(folderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return; // the folder may be writable but not readable; the rename itself succeeded
  ::fsync(folder);
  ::close(folder);
}

void writeFileAtomically(const std::string &path, std::span<const std::byte> bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void writeFileAtomically(const std::string &path, std::string_view text) {
  writeFileAtomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

} // namespace raf
