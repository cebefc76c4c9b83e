// Mean loss on held-out data.
#pragma once

#include "trainer/data/Dataset.h"

#include <cstdint>
#include <functional>

namespace raf::trainer {

struct Evaluation {
  double loss = 0; // mean over samples of the mean loss of their batch
  int64_t samples = 0, tokens = 0;
  double seconds = 0;
};

/// A session with "evaluate" for `rows` samples and the same state.
using RemainderSession = std::function<runtime::Session &(int64_t rows)>;

/// Runs "evaluate" of `session` over the held-out samples in batches of `batch`, and of
/// `remainder(rows)` for the last `rows` < `batch` of them; so every sample counts once and
/// equally. Without `remainder` those are left out, which `samples` of the result tells.
/// `progress`, where given, hears how many samples are done. Throws InvalidFileError when too
/// little is held out, Error when the loss is not finite.
Evaluation evaluate(runtime::Session &session, int64_t batch, const RemainderSession &remainder,
                    const Dataset &data, uint64_t seed,
                    const std::function<void(int64_t done, int64_t total)> &progress = {});

/// Copies every tensor of `to`'s state from the one of that name in `from`. Throws ShapeError when
/// one is missing or differs.
void copyState(runtime::Session &from, runtime::Session &to);

} // namespace raf::trainer
