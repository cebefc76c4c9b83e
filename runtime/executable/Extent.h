// Which bytes a strided operand can touch, with every product and sum checked.
#pragma once

#include "common/DType.h"

#include <cstdint>
#include <optional>
#include <span>

namespace raf::executable {

/// Byte range [low, high) relative to the operand's element 0; {0, 0} when it has no elements.
struct ByteRange {
  int64_t low = 0, high = 0;
};

/// None when the shape or a product overflows, an extent is negative, or the ranks differ.
std::optional<ByteRange> touchedBytes(std::span<const int64_t> shape,
                                      std::span<const int64_t> strides, DType dtype);

/// Elements of a shape; none when it overflows or an extent is negative.
std::optional<int64_t> elementCount(std::span<const int64_t> shape);

/// No two indices share an element (sufficient, not necessary: nested strides).
bool isInjective(std::span<const int64_t> shape, std::span<const int64_t> strides);

} // namespace raf::executable
