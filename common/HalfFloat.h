// The 16-bit floating-point formats as they lie in memory. Rounding is to nearest, ties to even; a
// NaN stays a NaN with its sign.
#pragma once

#include <bit>
#include <cstdint>

namespace raf {

struct BF16 {
  uint16_t bits = 0;

  BF16() = default;
  explicit BF16(float value) {
    const auto wide = std::bit_cast<uint32_t>(value);
    const bool nan = (wide & 0x7fffffff) > 0x7f800000;
    const uint32_t rounded = nan ? wide | 0x400000 : wide + 0x7fff + (wide >> 16 & 1);
    bits = static_cast<uint16_t>(rounded >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
};

struct F16 {
  _Float16 value = 0;

  F16() = default;
  explicit F16(float wide) : value(static_cast<_Float16>(wide)) {}
  explicit operator float() const { return static_cast<float>(value); }
};

static_assert(sizeof(BF16) == 2 && sizeof(F16) == 2);

} // namespace raf
