#include "common/MappedFile.h"

#include "common/Error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace raf {

MappedFile::MappedFile(const std::string &path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    throw Error(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  struct stat info;
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    throw Error(fmt::format("{}: cannot open: not a regular file", path));
  }
  size = static_cast<size_t>(info.st_size);
  if (size > 0) {
    void *at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    const int error = errno;
    if (at == MAP_FAILED) {
      ::close(fd);
      throw Error(fmt::format("{}: cannot map {} bytes: {}", path, size, std::strerror(error)));
    }
    data = static_cast<const std::byte *>(at);
  }
  ::close(fd);
}

MappedFile::~MappedFile() {
  if (data)
    ::munmap(const_cast<std::byte *>(data), size);
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : data(std::exchange(other.data, nullptr)), size(std::exchange(other.size, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(data, other.data);
  std::swap(size, other.size);
  return *this;
}

} // namespace raf
