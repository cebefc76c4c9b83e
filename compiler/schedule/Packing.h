// Offsets for buffers whose live ranges are known (dynamic storage allocation).
#pragma once

#include <cstdint>
#include <vector>

namespace raf::schedule {

/// Alive from command `first` to command `last`, both included.
struct Interval {
  uint64_t bytes = 0;
  int first = 0, last = 0;
};

struct Packing {
  std::vector<uint64_t> offsets; // multiples of 64, one per interval
  uint64_t bytes = 0;            // end of the last buffer, a multiple of 64
  uint64_t bound = 0;            // most bytes alive at once: no packing can do with less
};

/// Places each buffer in the smallest gap that its neighbours in time leave, largest buffers first;
/// also by other orders, and with the buffer on top placed earlier, as long as the bound is not
/// reached. Keeps the best. Deterministic; a buffer of 0 bytes lies at 0.
Packing pack(const std::vector<Interval> &intervals);

} // namespace raf::schedule
