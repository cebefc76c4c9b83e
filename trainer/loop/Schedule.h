// Learning-rate schedules: pure functions of the update's number, so that a resumed run goes on as
// the unbroken one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace raf::trainer {

struct Schedule {
  enum class Kind { Constant, Linear, Cosine, InverseSqrt };

  Kind kind = Kind::Constant;
  double peak = 3e-4; // the learning rate after the warm-up
  double least = 0;   // what linear and cosine decay to
  int64_t warmup = 0; // updates of linear warm-up: update s < warmup uses peak * (s+1) / warmup
  int64_t total = 0;  // updates of the whole run; linear and cosine reach `least` there

  /// Learning rate of update `s` (0-based). With d = (s - warmup) / (total - warmup) in [0, 1]:
  ///   constant      peak
  ///   linear        least + (peak - least) * (1 - d)
  ///   cosine        least + (peak - least) * (1 + cos(pi d)) / 2
  ///   inverse_sqrt  peak * sqrt(max(warmup, 1) / (s + 1)), which is peak at the warm-up's end
  double rate(int64_t s) const;
};

/// "constant", "linear", "cosine" or "inverse_sqrt"; throws UsageError for another name.
Schedule::Kind scheduleFromName(std::string_view name);

} // namespace raf::trainer
