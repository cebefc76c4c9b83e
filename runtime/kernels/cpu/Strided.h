// Two-dimensional copies between strides and element types.
#pragma once

#include "common/DType.h"
#include "common/HalfFloat.h"

#include <algorithm>
#include <cstdint>

namespace raf::runtime {

/// Calls `fn` with a value of the C++ type that holds `dtype`, a float type.
template <class Fn> decltype(auto) withFloatType(DType dtype, Fn &&fn) {
  switch (dtype) {
  case DType::F64:
    return fn(double{});
  case DType::BF16:
    return fn(BF16{});
  case DType::F16:
    return fn(F16{});
  default:
    return fn(float{});
  }
}

template <class To, class From> To convertTo(From value) {
  if constexpr (std::is_same_v<To, From>)
    return value;
  else
    return To(value);
}

/// dst[i, j] (row-major, contiguous) = src[i, j].
template <class From, class To>
void pack(const From *src, int64_t rows, int64_t columns, int64_t rowStride, int64_t columnStride,
          To *__restrict dst) {
  if (columnStride == 1) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        dst[i * columns + j] = convertTo<To>(src[i * rowStride + j]);
    return;
  }
  constexpr int64_t kBlock = 32; // a block of either side stays in the first-level cache
  for (int64_t j0 = 0; j0 < columns; j0 += kBlock)
    for (int64_t i0 = 0; i0 < rows; i0 += kBlock)
      for (int64_t i = i0; i < std::min(rows, i0 + kBlock); ++i)
        for (int64_t j = j0; j < std::min(columns, j0 + kBlock); ++j)
          dst[i * columns + j] = convertTo<To>(src[i * rowStride + j * columnStride]);
}

} // namespace raf::runtime
