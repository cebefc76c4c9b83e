// Calls a function of a session with its inputs found by name: `lr`, `key` and the batch.
#pragma once

#include "runtime/session/Session.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace raf::trainer {

class FunctionCall {
public:
  /// Throws Error when the session has no such function, ShapeError when `lr` is not a rank-0 f32
  /// or `key` not a tensor<2xi64>.
  FunctionCall(runtime::Session &session, std::string function);

  /// What the caller must bring: all inputs but `lr` and `key`, in signature order.
  const std::vector<runtime::NamedTensor> &batchInputs() const { return batch; }

  /// Runs with `batch` in the order of batchInputs(). `step` counts the updates made before.
  void run(std::span<const runtime::TensorView> batch, float lr, uint64_t seed, int64_t step);

  /// Value of a rank-0 floating-point output of the last run. Throws Error when there is none of
  /// that name.
  double scalar(std::string_view output) const;
  /// The output itself; valid until the next run.
  const runtime::TensorView &output(std::string_view name) const;

private:
  runtime::Session &session;
  std::string function;
  std::vector<runtime::NamedTensor> batch;
  float lr = 0;
  std::array<int64_t, 2> key = {0, 0};
  std::vector<runtime::TensorView> arguments;
  std::vector<size_t> batchSlots; // places of the batch in `arguments`
};

} // namespace raf::trainer
