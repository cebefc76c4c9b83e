// A batch for timing: right names, shapes and value ranges, no data behind it.
#pragma once

#include "runtime/session/Session.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace raf::tool {

class SyntheticBatch {
public:
  /// Floats are standard normal; integers uniform in [0, limit), or all 0 with limit 0. The same
  /// for the same seed.
  SyntheticBatch(std::span<const runtime::NamedTensor> inputs, int64_t limit, uint64_t seed);

  std::span<const runtime::TensorView> views() const { return tensors; }

private:
  std::vector<std::vector<std::byte>> storage;
  std::vector<runtime::TensorView> tensors;
};

} // namespace raf::tool
