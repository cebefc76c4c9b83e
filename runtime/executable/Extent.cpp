#include "runtime/executable/Extent.h"

#include <algorithm>
#include <vector>

namespace raf::executable {

std::optional<int64_t> elementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    if (extent == 0) {
      empty = true; // go on: the other extents must not be negative either
      continue;
    }
    if (__builtin_mul_overflow(count, extent, &count))
      return std::nullopt;
  }
  return empty ? 0 : count;
}

std::optional<ByteRange> touchedBytes(std::span<const int64_t> shape,
                                      std::span<const int64_t> strides, DType dtype) {
  if (shape.size() != strides.size())
    return std::nullopt;
  const std::optional<int64_t> count = elementCount(shape);
  const auto size = static_cast<int64_t>(sizeOf(dtype));
  int64_t bytes;
  if (!count || __builtin_mul_overflow(*count, size, &bytes))
    return std::nullopt;
  if (*count == 0)
    return ByteRange{};
  int64_t low = 0, high = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t reach;
    if (__builtin_mul_overflow(shape[i] - 1, strides[i], &reach))
      return std::nullopt;
    int64_t &side = reach < 0 ? low : high;
    if (__builtin_add_overflow(side, reach, &side))
      return std::nullopt;
  }
  ByteRange range;
  if (__builtin_mul_overflow(low, size, &range.low) || __builtin_add_overflow(high, 1, &high) ||
      __builtin_mul_overflow(high, size, &range.high))
    return std::nullopt;
  return range;
}

bool isInjective(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  struct Dim {
    uint64_t stride, extent;
  };
  std::vector<Dim> dims;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0)
      return true;
    if (shape[i] > 1)
      dims.push_back({strides[i] < 0 ? 0 - static_cast<uint64_t>(strides[i])
                                     : static_cast<uint64_t>(strides[i]),
                      static_cast<uint64_t>(shape[i])});
  }
  std::sort(dims.begin(), dims.end(),
            [](const Dim &a, const Dim &b) { return a.stride < b.stride; });
  uint64_t reach = 0; // largest offset within the dims seen so far
  for (const Dim &dim : dims) {
    uint64_t own;
    if (dim.stride <= reach || __builtin_mul_overflow(dim.extent - 1, dim.stride, &own) ||
        __builtin_add_overflow(reach, own, &reach))
      return false;
  }
  return true;
}

} // namespace raf::executable
