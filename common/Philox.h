// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011). The scalar reference of every random op: generated code, the reference
// interpreter and the trainer must give these bits.
//
// The contract. A random value is a function of (seed, step, op, index) and of nothing else:
//
//   key      k0 = low 32 bits of seed        k1 = high 32 bits of seed
//   counter  c0 = low 32 bits of index / 4   c1 = high 32 bits of index / 4
//            c2 = op                         c3 = low 32 bits of step
//   word     output[index % 4]
//
// `seed` is 64 bits; `step` counts updates; `op` numbers the random ops of a program; `index`
// (unsigned, 64 bits) is the row-major position of the element in the unsharded global tensor. So
// four neighbours share one block, and neither the number of threads, nor recomputation, nor
// sharding can change a value.
//
//   uniform  f32 in [0, 1)   (word >> 8) * 2^-24, exact
//   normal   f32             Box-Muller on two neighbours: elements 2j and 2j+1 share the words
//                            u = word(2j), v = word(2j+1) (same block, for 2j is even):
//                              radius = sqrt(-2 * log(((u >> 8) + 1) * 2^-24))
//                              angle  = 2 pi * ((v >> 8) * 2^-24)
//                              element 2j   = radius * cos(angle)
//                              element 2j+1 = radius * sin(angle)
//                            computed in f32. The words, not the rounding of log and cos, are what
//                            the contract fixes: implementations agree to a few units in the last
//                            place.
//   dropout  kept            uniform >= p
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace raf::philox {

using Block = std::array<uint32_t, 4>;

/// Ten rounds over one counter block.
constexpr Block philox4x32(Block counter, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * counter[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ k0, static_cast<uint32_t>(p1),
               static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ k1, static_cast<uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return counter;
}

/// Which stream of random numbers: all of the contract but the element.
struct Stream {
  uint64_t seed = 0;
  uint64_t step = 0;
  uint32_t op = 0;
};

/// The words of elements 4*block .. 4*block+3.
constexpr Block wordsOf(Stream s, uint64_t block) {
  return philox4x32({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), s.op,
                     static_cast<uint32_t>(s.step)},
                    static_cast<uint32_t>(s.seed), static_cast<uint32_t>(s.seed >> 32));
}

constexpr uint32_t word(Stream s, uint64_t index) { return wordsOf(s, index / 4)[index % 4]; }

/// In [0, 1), a multiple of 2^-24.
constexpr float uniformFromWord(uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }

constexpr float uniform(Stream s, uint64_t index) { return uniformFromWord(word(s, index)); }

/// Standard normal.
inline float normal(Stream s, uint64_t index) {
  const Block block = wordsOf(s, index / 4);
  const uint32_t first = index % 4 & 2;
  const float u = static_cast<float>((block[first] >> 8) + 1) * 0x1p-24f; // in (0, 1]
  const float angle = 6.283185307179586f * uniformFromWord(block[first + 1]);
  const float radius = std::sqrt(-2.0f * std::log(u));
  return radius * (index % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

} // namespace raf::philox
