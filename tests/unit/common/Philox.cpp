#include "common/Philox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

using namespace raf;
using testing::ElementsAre;

// The generator's published test vectors.
TEST(Philox, KnownBlocks) {
  EXPECT_THAT(philox::philox4x32({0, 0, 0, 0}, 0, 0),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(philox::philox4x32({~0u, ~0u, ~0u, ~0u}, ~0u, ~0u),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(
      philox::philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
      ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

// Seed, step, op and index all matter, in the places the contract names.
TEST(Philox, PlacesOfTheContract) {
  const philox::Stream s{0x1122334455667788, 0x99aabbccddeeff00, 7};
  EXPECT_EQ(philox::word(s, (uint64_t{5} << 34) + 9),
            philox::philox4x32({2, 5, 7, 0xddeeff00}, 0x55667788, 0x11223344)[1]);
}

// Uniform values fill [0, 1) and normal ones have the moments of a standard normal: the tolerances
// are six standard errors of 1 << 16 draws.
TEST(Philox, Distributions) {
  constexpr int kDraws = 1 << 16;
  const philox::Stream s{42, 3, 1};
  double uniform = 0, normal = 0, square = 0;
  for (int i = 0; i < kDraws; ++i) {
    const float u = philox::uniform(s, static_cast<uint64_t>(i)),
                n = philox::normal(s, static_cast<uint64_t>(i));
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ASSERT_TRUE(std::isfinite(n));
    uniform += u;
    normal += n;
    square += double{n} * n;
  }
  const double error = 6 / std::sqrt(kDraws);
  EXPECT_NEAR(uniform / kDraws, 0.5, error * std::sqrt(1 / 12.0));
  EXPECT_NEAR(normal / kDraws, 0, error);
  EXPECT_NEAR(square / kDraws, 1, error * std::sqrt(2.0));
}

// The extreme words stay inside the ranges.
TEST(Philox, Extremes) {
  EXPECT_EQ(philox::uniformFromWord(0), 0);
  EXPECT_EQ(philox::uniformFromWord(~0u), 1 - 0x1p-24f);
}
