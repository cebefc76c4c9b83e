#include "trainer/data/Shuffle.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

using raf::trainer::shuffledIndex;

namespace {

std::vector<int64_t> order(uint64_t seed, uint64_t epoch, int64_t size) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < size; ++i)
    result.push_back(shuffledIndex(seed, epoch, size, i));
  return result;
}

TEST(Shuffle, EveryEpochDrawsEverySampleOnce) {
  for (int64_t size : {1, 2, 3, 4, 5, 16, 17, 97, 1000, 4097}) {
    const std::vector<int64_t> drawn = order(7, 3, size);
    const std::set<int64_t> distinct(drawn.begin(), drawn.end());
    EXPECT_EQ(static_cast<int64_t>(distinct.size()), size);
    EXPECT_EQ(*distinct.begin(), 0);
    EXPECT_EQ(*distinct.rbegin(), size - 1);
  }
}

TEST(Shuffle, DependsOnSeedAndEpochAndOnNothingElse) {
  EXPECT_EQ(order(1, 2, 100), order(1, 2, 100));
  EXPECT_NE(order(1, 2, 100), order(2, 2, 100));
  EXPECT_NE(order(1, 2, 100), order(1, 3, 100));
}

TEST(Shuffle, PlacesAreEquallyLikely) {
  // Where sample 0 of 10 goes in 10,000 epochs: each place 1000 times, standard deviation 30.
  std::vector<int> places(10);
  for (uint64_t epoch = 0; epoch < 10000; ++epoch)
    ++places[static_cast<size_t>(shuffledIndex(5, epoch, 10, 0))];
  for (int count : places)
    EXPECT_NEAR(count, 1000, 150); // five standard deviations
}

} // namespace
