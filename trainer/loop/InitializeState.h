// How a fresh run fills its state.
#pragma once

#include "runtime/session/Session.h"

#include <cstdint>
#include <functional>

namespace raf::trainer {

/// Fills `state.view` as `state.init` says. Random values are a function of (seed, state.name,
/// index) alone, so other layers, threads or batch sizes do not change them. Throws
/// InvalidFileError for an init it does not know.
void initializeState(const runtime::StateInfo &state, uint64_t seed);

/// Writes `value(i)`, rounded to the tensor's dtype, to every element i in row-major order.
void fillTensor(const runtime::TensorView &view, const std::function<double(int64_t)> &value);

} // namespace raf::trainer
