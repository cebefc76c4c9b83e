#include "trainer/loop/Schedule.h"

#include "common/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace raf::trainer {

double Schedule::rate(int64_t s) const {
  if (s < warmup)
    return peak * static_cast<double>(s + 1) / static_cast<double>(warmup);
  const double decayed =
      total > warmup
          ? std::clamp(static_cast<double>(s - warmup) / static_cast<double>(total - warmup), 0.0,
                       1.0)
          : 0.0;
  switch (kind) {
  case Kind::Constant:
    return peak;
  case Kind::Linear:
    return least + (peak - least) * (1 - decayed);
  case Kind::Cosine:
    return least + (peak - least) * (1 + std::cos(std::numbers::pi * decayed)) / 2;
  case Kind::InverseSqrt:
    return peak * std::sqrt(static_cast<double>(std::max<int64_t>(warmup, 1)) /
                            static_cast<double>(s + 1));
  }
  return peak;
}

Schedule::Kind scheduleFromName(std::string_view name) {
  if (name == "constant")
    return Schedule::Kind::Constant;
  if (name == "linear")
    return Schedule::Kind::Linear;
  if (name == "cosine")
    return Schedule::Kind::Cosine;
  if (name == "inverse_sqrt")
    return Schedule::Kind::InverseSqrt;
  throw UsageError(fmt::format(
      "schedule: expected constant, linear, cosine or inverse_sqrt, but got '{}'", name));
}

} // namespace raf::trainer
