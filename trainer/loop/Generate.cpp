#include "trainer/loop/Generate.h"

#include "common/Error.h"
#include "common/Philox.h"
#include "trainer/data/Dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace raf::trainer {

int64_t sampleToken(std::span<const float> logits, const SamplingOptions &options,
                    uint64_t position) {
  for (size_t i = 0; i < logits.size(); ++i)
    if (std::isnan(logits[i]))
      throw Error(fmt::format("generate: logit {} is not a number", i));
  std::vector<int64_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  auto likelier = [&](int64_t a, int64_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  };
  if (options.temperature <= 0)
    return *std::min_element(order.begin(), order.end(), likelier);
  if (options.topK > 0 && options.topK < static_cast<int64_t>(order.size())) {
    std::nth_element(order.begin(), order.begin() + options.topK - 1, order.end(), likelier);
    order.resize(static_cast<size_t>(options.topK));
    std::sort(order.begin(), order.end()); // so that the draw does not depend on nth_element
  }
  double top = -INFINITY;
  for (int64_t i : order)
    top = std::max(top, static_cast<double>(logits[i]));
  std::vector<double> upTo;
  double sum = 0;
  for (int64_t i : order)
    upTo.push_back(sum += std::exp((logits[i] - top) / options.temperature));
  const double at = philox::uniform({options.seed, 0, 0}, position) * sum;
  size_t drawn = static_cast<size_t>(std::upper_bound(upTo.begin(), upTo.end(), at) - upTo.begin());
  return order[std::min(drawn, order.size() - 1)];
}

void generate(runtime::Session &session, std::vector<int64_t> &tokens, int64_t count,
              const SamplingOptions &options, const std::function<bool(int64_t)> &emit) {
  FunctionCall call(session, "forward");
  size_t tokensAt = call.batchInputs().size();
  for (size_t i = 0; i < call.batchInputs().size(); ++i)
    if (call.batchInputs()[i].name != "labels")
      tokensAt = std::min(tokensAt, i);
  BatchBuffer batch(call.batchInputs(), 1); // zeros, also where a model insists on labels
  const runtime::TensorView *input =
      tokensAt < batch.views().size() ? &batch.views()[tokensAt] : nullptr;
  const runtime::TensorView &logits = call.output("logits");
  if (!input || input->shape.size() != 2 ||
      (input->dtype != DType::I64 && input->dtype != DType::I32))
    throw ShapeError("generate: expected a model that takes one integer input [B,T]");
  const int64_t context = input->shape[1];
  if (logits.dtype != DType::F32 || logits.shape.size() != 3 || logits.shape[0] != 1 ||
      logits.shape[1] != context)
    throw ShapeError(fmt::format("generate: expected f32 logits [1,{},V]", context));
  const int64_t vocabulary = logits.shape[2];
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] < 0 || tokens[i] >= vocabulary)
      throw Error(
          fmt::format("prompt: token {} at position {} is outside the model's vocabulary of {}",
                      tokens[i], i, vocabulary));

  for (int64_t made = 0; made < count; ++made) {
    const int64_t seen = std::min<int64_t>(context, static_cast<int64_t>(tokens.size()));
    const int64_t *window = tokens.data() + (tokens.size() - static_cast<size_t>(seen));
    // What follows the window cannot influence it: the model is causal.
    for (int64_t i = 0; i < seen; ++i) {
      if (input->dtype == DType::I64)
        static_cast<int64_t *>(input->data)[i] = window[i];
      else
        static_cast<int32_t *>(input->data)[i] = static_cast<int32_t>(window[i]);
    }
    call.run(batch.views(), 0, options.seed, 0);
    const float *row =
        static_cast<const float *>(call.output("logits").data) + (seen - 1) * vocabulary;
    tokens.push_back(
        sampleToken({row, static_cast<size_t>(vocabulary)}, options, static_cast<uint64_t>(made)));
    if (!emit(tokens.back()))
      return;
  }
}

} // namespace raf::trainer
