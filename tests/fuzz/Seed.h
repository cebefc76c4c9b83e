// Starts libFuzzer from a sound example: mutating nothing would take it very long to find one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace raf::test {

inline size_t mutateFrom(std::span<const std::byte> example, uint8_t *data, size_t size,
                         size_t most) {
  constexpr size_t kTooSmallToMean = 8;
  if (size < kTooSmallToMean) {
    size = std::min(example.size(), most);
    std::memcpy(data, example.data(), size);
    return size;
  }
  return LLVMFuzzerMutate(data, size, most);
}

} // namespace raf::test
