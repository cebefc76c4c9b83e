// The order in which samples are drawn: a pure function of (seed, epoch), so that a run is resumed
// from one integer.
#pragma once

#include <cstdint>

namespace raf::trainer {

/// 64 well-mixed bits of (seed, stream, counter).
uint64_t mixBits(uint64_t seed, uint64_t stream, uint64_t counter);

/// A pseudo-random permutation of [0, size) without a table: where `index` goes in `epoch`.
/// `size` must be positive and `index` in [0, size).
int64_t shuffledIndex(uint64_t seed, uint64_t epoch, int64_t size, int64_t index);

} // namespace raf::trainer
