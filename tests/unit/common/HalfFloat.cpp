#include "common/HalfFloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace raf;

// Every bf16 and f16 comes back from float32 as it was.
TEST(HalfFloat, RoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    BF16 b;
    b.bits = static_cast<uint16_t>(bits);
    const bool nan = (bits & 0x7fff) > 0x7f80;
    EXPECT_EQ(BF16(static_cast<float>(b)).bits, nan ? bits | 0x40 : bits);
    const auto h = std::bit_cast<F16>(static_cast<uint16_t>(bits));
    const auto back = std::bit_cast<uint16_t>(F16(static_cast<float>(h)));
    // Processors quieten a NaN, software may not.
    EXPECT_EQ((bits & 0x7fff) > 0x7c00 ? back | 0x200 : back,
              (bits & 0x7fff) > 0x7c00 ? bits | 0x200 : bits);
  }
}

// To nearest, ties to even; what is too large becomes infinite.
TEST(HalfFloat, Rounding) {
  EXPECT_EQ(BF16(1 + 0x1p-8f).bits, 0x3f80);           // a tie, to even: down
  EXPECT_EQ(BF16(1 + 0x1p-7f + 0x1p-8f).bits, 0x3f82); // a tie, to even: up
  EXPECT_EQ(BF16(1 + 0x1p-8f + 0x1p-20f).bits, 0x3f81);
  EXPECT_EQ(BF16(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_EQ(BF16(-0.0f).bits, 0x8000);
  EXPECT_TRUE(std::isnan(static_cast<float>(BF16(std::bit_cast<float>(0x7fffffffu)))));
  EXPECT_TRUE(std::isnan(static_cast<float>(BF16(std::bit_cast<float>(0xff800001u)))));
  EXPECT_EQ(static_cast<float>(F16(65519.0f)), 65504);
  EXPECT_TRUE(std::isinf(static_cast<float>(F16(65520.0f))));
  EXPECT_EQ(static_cast<float>(F16(0x1p-24f)), 0x1p-24f);
  EXPECT_EQ(static_cast<float>(F16(0x1p-25f)), 0);
}
