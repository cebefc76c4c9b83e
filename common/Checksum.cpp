#include "common/Checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace raf {

Checksum128 checksum128(std::span<const std::byte> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  Checksum128 sum;
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] = canonical.digest[i];
  return sum;
}

uint64_t checksum64(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string toHex(const Checksum128 &sum) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : sum) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

} // namespace raf
