#include "trainer/data/Shuffle.h"

#include <bit>

namespace raf::trainer {
namespace {

// The finalizer of SplitMix64.
uint64_t finalize(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

} // namespace

uint64_t mixBits(uint64_t seed, uint64_t stream, uint64_t counter) {
  constexpr uint64_t golden = 0x9e3779b97f4a7c15ULL;
  uint64_t x = finalize(seed + golden);
  x = finalize(x ^ (stream * golden + 1));
  return finalize(x ^ (counter * golden + 2));
}

// A balanced Feistel network over the smallest even number of bits that holds `size`; values
// outside [0, size) walk on along their cycle until they fall inside. The domain is less than four
// times `size`, so a walk takes four rounds on average.
int64_t shuffledIndex(uint64_t seed, uint64_t epoch, int64_t size, int64_t index) {
  if (size <= 1)
    return 0;
  const int bits = std::bit_width(static_cast<uint64_t>(size) - 1);
  const int half = (bits + 1) / 2;
  const uint64_t mask = (uint64_t{1} << half) - 1;
  const uint64_t epochSeed = mixBits(seed, epoch, 0);
  uint64_t value = static_cast<uint64_t>(index);
  do {
    uint64_t left = value >> half, right = value & mask;
    for (uint64_t round = 0; round < 6; ++round) {
      uint64_t next = left ^ (mixBits(epochSeed, round, right) & mask);
      left = right;
      right = next;
    }
    value = left << half | right;
  } while (value >= static_cast<uint64_t>(size));
  return static_cast<int64_t>(value);
}

} // namespace raf::trainer
