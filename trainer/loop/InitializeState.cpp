#include "trainer/loop/InitializeState.h"

#include "common/Checksum.h"
#include "common/Error.h"
#include "common/Philox.h"
#include "runtime/threads/Threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace raf::trainer {
namespace {

// "normal(0,0.02)" -> name "normal", arguments {0, 0.02}.
struct Init {
  std::string_view name;
  std::vector<double> arguments;
};

std::optional<Init> parseInit(std::string_view text) {
  Init init;
  size_t open = text.find('(');
  init.name = text.substr(0, open);
  if (open == std::string_view::npos)
    return init;
  if (text.back() != ')')
    return std::nullopt;
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (true) {
    while (!rest.empty() && rest.front() == ' ')
      rest.remove_prefix(1);
    double value = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc())
      return std::nullopt;
    init.arguments.push_back(value);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (rest.empty())
      return init;
    if (rest.front() != ',')
      return std::nullopt;
    rest.remove_prefix(1);
  }
}

// Round to nearest even; NaN cannot occur here.
uint16_t toBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

using Quad = std::array<double, 4>;

// `quad(b)` gives elements 4b .. 4b+3: the random numbers come in blocks of four. Threads share the
// work; what an element becomes does not depend on it.
template <typename QuadOf> void fillQuads(const runtime::TensorView &view, QuadOf quad) {
  const int64_t count = view.numElements();
  auto store = [&]<typename T>(T *out, auto convert) {
    runtime::Threads().parallelFor((count + 3) / 4, 1 << 14, [&](int64_t begin, int64_t end, int) {
      for (int64_t b = begin; b < end; ++b) {
        const Quad values = quad(static_cast<uint64_t>(b));
        for (int64_t i = 4 * b; i < std::min(count, 4 * b + 4); ++i)
          out[i] = convert(values[static_cast<size_t>(i % 4)]);
      }
    });
  };
  auto as = [&]<typename T>(T) {
    store(static_cast<T *>(view.data), [](double value) { return static_cast<T>(value); });
  };
  switch (view.dtype) {
  case DType::F32:
    return as(float{});
  case DType::F64:
    return as(double{});
  case DType::F16:
    return as(_Float16{});
  case DType::BF16:
    return store(static_cast<uint16_t *>(view.data),
                 [](double value) { return toBF16(static_cast<float>(value)); });
  case DType::I1:
  case DType::U8:
    return as(uint8_t{});
  case DType::I8:
    return as(int8_t{});
  case DType::I16:
    return as(int16_t{});
  case DType::I32:
    return as(int32_t{});
  case DType::I64:
    return as(int64_t{});
  }
}

// philox::normal of four neighbours, with one block of random words for all.
Quad normalQuad(philox::Stream stream, uint64_t block) {
  const philox::Block words = philox::wordsOf(stream, block);
  Quad values;
  for (size_t pair = 0; pair < 4; pair += 2) {
    const float u = static_cast<float>((words[pair] >> 8) + 1) * 0x1p-24f;
    const float angle = 6.283185307179586f * philox::uniformFromWord(words[pair + 1]);
    const float radius = std::sqrt(-2.0f * std::log(u));
    values[pair] = radius * std::cos(angle);
    values[pair + 1] = radius * std::sin(angle);
  }
  return values;
}

} // namespace

void fillTensor(const runtime::TensorView &view, const std::function<double(int64_t)> &value) {
  const int64_t count = view.numElements();
  fillQuads(view, [&](uint64_t block) {
    Quad values{};
    for (int64_t j = 0, i = static_cast<int64_t>(4 * block); j < 4 && i + j < count; ++j)
      values[static_cast<size_t>(j)] = value(i + j);
    return values;
  });
}

void initializeState(const runtime::StateInfo &state, uint64_t seed) {
  const std::optional<Init> init = parseInit(state.init);
  const size_t arguments = init ? init->arguments.size() : 0;
  auto is = [&](std::string_view name, size_t count) {
    return init && init->name == name && arguments == count;
  };
  // No step of a run has this number, so the stream is shared with no random op.
  const philox::Stream stream{
      seed ^ checksum64(std::as_bytes(std::span(state.name.data(), state.name.size()))),
      ~uint64_t{0}, 0};

  auto constant = [&](double value) {
    fillQuads(state.view, [=](uint64_t) { return Quad{value, value, value, value}; });
  };
  if (is("zeros", 0))
    return constant(0);
  if (is("ones", 0))
    return constant(1);
  if (is("fill", 1))
    return constant(init->arguments[0]);
  if (is("normal", 2))
    return fillQuads(state.view, [&](uint64_t block) {
      Quad values = normalQuad(stream, block);
      for (double &value : values)
        value = init->arguments[0] + init->arguments[1] * value;
      return values;
    });
  if (is("uniform", 2))
    return fillQuads(state.view, [&](uint64_t block) {
      const philox::Block words = philox::wordsOf(stream, block);
      Quad values;
      for (size_t j = 0; j < 4; ++j)
        values[j] = init->arguments[0] +
                    (init->arguments[1] - init->arguments[0]) * philox::uniformFromWord(words[j]);
      return values;
    });
  throw InvalidFileError(
      fmt::format("state '{}': unknown initialisation '{}'", state.name, state.init));
}

} // namespace raf::trainer
