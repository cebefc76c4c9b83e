#include "runtime/memory/Arena.h"

#include "common/Error.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace raf::runtime {
namespace {

constexpr size_t kHuge = size_t{2} << 20;

std::atomic<size_t> live = 0;

} // namespace

Arena::Arena(size_t bytes, const char *purpose) : size(bytes) {
  if (bytes == 0)
    return;
  const size_t slack = bytes >= kHuge ? kHuge : 0;
  void *at = bytes > SIZE_MAX / 2 ? MAP_FAILED
                                  : ::mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    throw OutOfMemoryError(fmt::format("cannot allocate {} bytes for the {}: {}", bytes, purpose,
                                       std::strerror(ENOMEM)),
                           bytes);
  base = static_cast<std::byte *>(at);
  live += size;
  if (slack == 0)
    return;
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t skip =
      roundUp(reinterpret_cast<uintptr_t>(base), kHuge) - reinterpret_cast<uintptr_t>(base);
  const size_t kept = roundUp(bytes, page), end = roundUp(bytes + slack, page);
  if (skip > 0)
    ::munmap(base, skip);
  if (end > skip + kept)
    ::munmap(base + skip + kept, end - skip - kept);
  base += skip;
  ::madvise(base, bytes, MADV_HUGEPAGE); // a hint: without huge pages it is only slower
}

Arena::~Arena() {
  if (!base)
    return;
  ::munmap(base, size);
  live -= size;
}

size_t Arena::liveBytes() { return live; }

uint64_t physicalMemory() {
  return static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

} // namespace raf::runtime
