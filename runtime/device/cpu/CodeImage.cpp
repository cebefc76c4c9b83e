#include "runtime/device/cpu/CodeImage.h"

#include "common/Error.h"
#include "runtime/memory/Arena.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <sys/mman.h>
#include <utility>

namespace raf::runtime {

CodeImage::CodeImage(const flatbuffers::Vector<flatbuffers::Offset<fb::Kernel>> &kernels,
                     std::string_view where) {
  constexpr size_t kAlign = 64; // read-only data may hold whole vectors
  std::vector<size_t> starts;
  for (const auto *kernel : kernels) {
    starts.push_back(size);
    size += roundUp(kernel->code()->size(), kAlign);
  }
  if (size == 0)
    return;
  void *at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    throw Error(fmt::format("{}: cannot map {} bytes of machine code: {}", where, size,
                            std::strerror(errno)));
  base = static_cast<std::byte *>(at);
  // The destructor does not run for an object whose constructor throws.
  auto fail = [&]<class E>(E error) {
    ::munmap(base, size);
    throw error;
  };

  for (uint32_t i = 0; i < kernels.size(); ++i) {
    const fb::Kernel &kernel = *kernels.Get(i);
    std::byte *code = base + starts[i];
    std::memcpy(code, kernel.code()->data(), kernel.code()->size());
    if (kernel.imports())
      for (const auto *import : *kernel.imports()) {
        const void *symbol = importedSymbol(import->symbol()->string_view());
        if (!symbol)
          fail(InvalidFileError(
              fmt::format("{}: kernel \"{}\" calls \"{}\", which generated code may not call",
                          where, kernel.name()->string_view(), import->symbol()->string_view())));
        std::memcpy(code + import->slot(), &symbol, sizeof(symbol));
      }
    entries.push_back(reinterpret_cast<raf_kernel_fn>(code + kernel.entry()));
  }
  if (::mprotect(base, size, PROT_READ | PROT_EXEC) != 0)
    fail(Error(
        fmt::format("{}: cannot make machine code executable: {}", where, std::strerror(errno))));
}

CodeImage::~CodeImage() {
  if (base)
    ::munmap(base, size);
}

CodeImage::CodeImage(CodeImage &&other) noexcept
    : base(std::exchange(other.base, nullptr)), size(std::exchange(other.size, 0)),
      entries(std::move(other.entries)) {}

CodeImage &CodeImage::operator=(CodeImage &&other) noexcept {
  std::swap(base, other.base);
  std::swap(size, other.size);
  std::swap(entries, other.entries);
  return *this;
}

} // namespace raf::runtime
