#include "trainer/loop/Evaluate.h"

#include "common/Error.h"
#include "trainer/loop/FunctionCall.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace raf::trainer {

Evaluation evaluate(runtime::Session &session, int64_t batch, const RemainderSession &remainder,
                    const Dataset &data, uint64_t seed,
                    const std::function<void(int64_t done, int64_t total)> &progress) {
  const auto begin = std::chrono::steady_clock::now();
  const int64_t held = data.samples(Split::HeldOut);
  const int64_t samples = remainder ? held : held - held % batch;
  if (samples == 0)
    throw InvalidFileError(
        fmt::format("held-out data: expected at least {} samples in the last tenth, but got {}",
                    remainder ? 1 : batch, held));
  Evaluation result;
  double sum = 0;
  auto run = [&](runtime::Session &on, int64_t rows, int64_t count) {
    FunctionCall call(on, "evaluate");
    BatchBuffer buffer(call.batchInputs(), rows);
    for (int64_t i = 0; i < count; ++i) {
      buffer.fillHeldOut(data, result.samples);
      call.run(buffer.views(), 0, seed, 0);
      const double loss = call.scalar("loss");
      if (!std::isfinite(loss))
        throw Error(fmt::format("evaluate: loss of samples {} to {} is {}", result.samples,
                                result.samples + rows - 1, loss));
      sum += loss * static_cast<double>(rows);
      result.samples += rows;
      if (progress)
        progress(result.samples, samples);
    }
  };
  if (samples >= batch)
    run(session, batch, samples / batch);
  if (samples % batch != 0)
    run(remainder(samples % batch), samples % batch, 1);
  result.loss = sum / static_cast<double>(samples);
  result.tokens = samples * data.tokensPerSample();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

void copyState(runtime::Session &from, runtime::Session &to) {
  std::unordered_map<std::string, const runtime::TensorView *> known;
  for (const runtime::StateInfo &state : from.state())
    known[state.name] = &state.view;
  for (runtime::StateInfo &state : to.state()) {
    auto found = known.find(state.name);
    if (found == known.end() || found->second->dtype != state.view.dtype ||
        found->second->shape != state.view.shape)
      throw ShapeError(fmt::format("state '{}': the two programs do not agree on it", state.name));
    std::memcpy(state.view.data, found->second->data, state.view.bytes());
  }
}

} // namespace raf::trainer
