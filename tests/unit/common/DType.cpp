#include "common/DType.h"

#include <gtest/gtest.h>

namespace raf {
namespace {

// Files and executables store the number of a dtype and people type its name: both must find the
// same one.
TEST(DType, NamesReadBack) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtypeFromName(nameOf(dtype)), dtype);
  }
  EXPECT_EQ(dtypeFromName("f128"), std::nullopt);
}

// The numbers are part of the executable format: an old file must mean the same in every later
// version.
TEST(DType, NumbersAreTheFormatsNumbers) {
  EXPECT_EQ(nameOf(static_cast<DType>(0)), "f32");
  EXPECT_EQ(nameOf(static_cast<DType>(2)), "bf16");
  EXPECT_EQ(nameOf(static_cast<DType>(4)), "i1");
  EXPECT_EQ(nameOf(static_cast<DType>(8)), "i64");
  EXPECT_EQ(sizeOf(DType::BF16), 2u);
  EXPECT_EQ(sizeOf(DType::I1), 1u);
  EXPECT_EQ(sizeOf(DType::I64), 8u);
}

} // namespace
} // namespace raf
