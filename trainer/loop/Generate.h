// Continues a text token by token with a language model.
#pragma once

#include "trainer/loop/FunctionCall.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace raf::trainer {

struct SamplingOptions {
  double temperature = 1; // 0: always the likeliest token
  int64_t topK = 0;       // only the k likeliest tokens; 0: all
  uint64_t seed = 0;
};

/// Draws an index from softmax(logits / temperature) over the top k. The result is a function of
/// (options, position, logits). Ties are cut in favour of lower indices.
int64_t sampleToken(std::span<const float> logits, const SamplingOptions &options,
                    uint64_t position);

/// Appends `count` tokens to `tokens` (not empty) with "forward" of `session`, which takes one
/// integer input [1,T] and has an f32 output `logits` [1,T,V]; the last T tokens are seen. `emit`
/// hears every new token and ends the text by returning false.
void generate(runtime::Session &session, std::vector<int64_t> &tokens, int64_t count,
              const SamplingOptions &options, const std::function<bool(int64_t)> &emit);

} // namespace raf::trainer
