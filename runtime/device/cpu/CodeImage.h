// Machine code of generated kernels, made executable.
#pragma once

#include "runtime/abi/KernelAbi.h"
#include "runtime/executable/Schema.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace raf::runtime {

/// Address of a function that generated code may call, null when it may not. The list is fixed:
/// libm, memcpy, memmove, memset and the bf16 rounding of compiler-rt.
const void *importedSymbol(std::string_view name);

/// All kernels of one executable, copied to pages that are writable while they are filled and then
/// only readable and executable.
class CodeImage {
public:
  CodeImage() = default;
  /// `kernels` is verified. Throws InvalidFileError, prefixed with `where`, for a symbol that is
  /// not on the list, and Error when the system refuses executable pages.
  CodeImage(const flatbuffers::Vector<flatbuffers::Offset<fb::Kernel>> &kernels,
            std::string_view where);
  ~CodeImage();
  CodeImage(CodeImage &&other) noexcept;
  CodeImage &operator=(CodeImage &&other) noexcept;

  raf_kernel_fn entry(size_t kernel) const { return entries[kernel]; }

private:
  std::byte *base = nullptr;
  size_t size = 0;
  std::vector<raf_kernel_fn> entries;
};

} // namespace raf::runtime
