#include "compiler/schedule/Packing.h"

#include <gtest/gtest.h>

#include <random>

using raf::schedule::Interval;
using raf::schedule::pack;
using raf::schedule::Packing;

namespace {

void expectValid(const std::vector<Interval> &intervals, const Packing &packing) {
  ASSERT_EQ(packing.offsets.size(), intervals.size());
  EXPECT_GE(packing.bytes, packing.bound);
  EXPECT_EQ(packing.bytes % 64, 0u);
  for (size_t i = 0; i < intervals.size(); ++i) {
    const Interval &x = intervals[i];
    EXPECT_EQ(packing.offsets[i] % 64, 0u);
    EXPECT_LE(packing.offsets[i] + x.bytes, packing.bytes);
    for (size_t j = 0; j < i; ++j) {
      const Interval &y = intervals[j];
      const bool together = x.first <= y.last && y.first <= x.last;
      const bool apart = packing.offsets[i] + x.bytes <= packing.offsets[j] ||
                         packing.offsets[j] + y.bytes <= packing.offsets[i];
      EXPECT_TRUE(!together || apart || x.bytes == 0 || y.bytes == 0)
          << "buffers " << j << " and " << i;
    }
  }
}

TEST(Packing, BuffersThatAreAliveTogetherNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Interval> intervals(random() % 40);
    for (Interval &x : intervals) {
      x.bytes = random() % 5 == 0 ? 0 : random() % 1000;
      x.first = static_cast<int>(random() % 30);
      x.last = x.first + static_cast<int>(random() % 10);
    }
    expectValid(intervals, pack(intervals));
  }
}

TEST(Packing, NothingNeedsNothing) {
  EXPECT_EQ(pack({}).bytes, 0u);
  EXPECT_EQ(pack({{0, 0, 5}}).bytes, 0u);
}

// Activations of a backward pass: made in order, freed in the opposite order, with temporaries
// between.
TEST(Packing, NestedLiveRangesReachTheBound) {
  std::vector<Interval> intervals;
  for (int layer = 0; layer < 100; ++layer) {
    intervals.push_back({4096, 2 * layer, 400 - 2 * layer});
    intervals.push_back({8192, 2 * layer + 1, 2 * layer + 2});
    intervals.push_back({8192, 400 - 2 * layer - 1, 400 - 2 * layer});
  }
  Packing packing = pack(intervals);
  expectValid(intervals, packing);
  EXPECT_EQ(packing.bytes, packing.bound);
}

} // namespace
