// Element types as they lie in memory, shared by compiler, executable format, runtime and files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace raf {

/// The numeric values are part of the executable format; never renumber.
enum class DType : uint8_t {
  F32 = 0,
  F64 = 1,
  BF16 = 2,
  F16 = 3,
  I1 = 4, // one byte per element, 0 or 1
  I8 = 5,
  I16 = 6,
  I32 = 7,
  I64 = 8,
  U8 = 9,
};
inline constexpr int kNumDTypes = 10;

/// Bytes per element.
constexpr size_t sizeOf(DType t) {
  constexpr size_t sizes[kNumDTypes] = {4, 8, 2, 2, 1, 1, 2, 4, 8, 1};
  return sizes[static_cast<size_t>(t)];
}

/// MLIR-like short name ("f32", "i64", ...).
constexpr std::string_view nameOf(DType t) {
  constexpr std::string_view names[kNumDTypes] = {"f32", "f64", "bf16", "f16", "i1",
                                                  "i8",  "i16", "i32",  "i64", "u8"};
  return names[static_cast<size_t>(t)];
}

constexpr std::optional<DType> dtypeFromName(std::string_view name) {
  for (int i = 0; i < kNumDTypes; ++i)
    if (nameOf(static_cast<DType>(i)) == name)
      return static_cast<DType>(i);
  return std::nullopt;
}

constexpr bool isFloat(DType t) { return static_cast<uint8_t>(t) <= 3; }

} // namespace raf
