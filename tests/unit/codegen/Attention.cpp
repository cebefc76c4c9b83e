// The attention kernels compute attention and its gradients as a plain double-precision loop does,
// through any strides.
#include "tests/unit/codegen/Run.h"

#include "common/Philox.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

using namespace raf;
using namespace raf::test;

namespace {

struct Case {
  int64_t batch = 1, heads = 2, keyHeads = 2, queries = 5, keys = 5, size = 8, valueSize = 8;
  bool causal = false;
  double dropout = 0;
  std::string mask = ""; // or "i1" or "f32"
  bool maskPerQuery = true;
};

constexpr uint64_t kSeed = 0x123456789abcdef, kStep = 77;
constexpr uint32_t kId = 5;

/// What a kernel gets and what it should give.
struct Expected {
  std::vector<float> q, k, v, grad, floatMask;
  std::vector<uint8_t> boolMask;
  std::vector<double> out, lse, dq, dk, dv;

  explicit Expected(const Case &c)
      : q(sample(c.batch * c.heads * c.queries * c.size, -2, 2, 1)),
        k(sample(c.batch * c.keyHeads * c.keys * c.size, -2, 2, 2)),
        v(sample(c.batch * c.keyHeads * c.keys * c.valueSize, -2, 2, 3)),
        grad(sample(c.batch * c.heads * c.queries * c.valueSize, -2, 2, 4)),
        floatMask(sample((c.maskPerQuery ? c.queries : 1) * c.keys, -2, 2, 5)), out(grad.size()),
        lse(c.batch * c.heads * c.queries), dq(q.size()), dk(k.size()), dv(v.size()) {
    for (size_t i = 0; i < floatMask.size(); ++i)
      boolMask.push_back(floatMask[i] > -1);
    for (int64_t b = 0; b < c.batch; ++b)
      for (int64_t h = 0; h < c.heads; ++h)
        for (int64_t i = 0; i < c.queries; ++i)
          row(c, b, h, i);
  }

private:
  void row(const Case &c, int64_t b, int64_t h, int64_t i) {
    const double scale = 1 / std::sqrt(static_cast<double>(c.size));
    const int64_t r = (b * c.heads + h) * c.queries + i;
    const int64_t firstKey = (b * c.keyHeads + h / (c.heads / c.keyHeads)) * c.keys;
    const philox::Stream stream{kSeed, kStep, kId};
    std::vector<double> s(c.keys), p(c.keys), keep(c.keys, 1);
    double top = -INFINITY, sum = 0;
    for (int64_t j = 0; j < c.keys; ++j) {
      for (int64_t d = 0; d < c.size; ++d)
        s[j] += double(q[r * c.size + d]) * k[(firstKey + j) * c.size + d];
      s[j] *= scale;
      const int64_t m = (c.maskPerQuery ? i * c.keys : 0) + j;
      if (c.mask == "f32")
        s[j] += floatMask[m];
      if ((c.mask == "i1" && !boolMask[m]) || (c.causal && j > i))
        s[j] = -INFINITY;
      if (c.dropout > 0)
        keep[j] = philox::uniform(stream, r * c.keys + j) >= static_cast<float>(c.dropout)
                      ? 1 / (1 - c.dropout)
                      : 0;
      top = std::max(top, s[j]);
    }
    for (double x : s)
      sum += top == -INFINITY ? 0 : std::exp(x - top);
    lse[r] = top + std::log(sum);
    double inner = 0;
    for (int64_t j = 0; j < c.keys; ++j)
      p[j] = top == -INFINITY ? 0 : std::exp(s[j] - lse[r]);
    for (int64_t d = 0; d < c.valueSize; ++d) {
      for (int64_t j = 0; j < c.keys; ++j)
        out[r * c.valueSize + d] += p[j] * keep[j] * v[(firstKey + j) * c.valueSize + d];
      inner += out[r * c.valueSize + d] * grad[r * c.valueSize + d];
    }
    for (int64_t j = 0; j < c.keys; ++j) {
      double dp = 0;
      for (int64_t d = 0; d < c.valueSize; ++d) {
        dp += double(grad[r * c.valueSize + d]) * v[(firstKey + j) * c.valueSize + d];
        dv[(firstKey + j) * c.valueSize + d] += p[j] * keep[j] * grad[r * c.valueSize + d];
      }
      const double ds = p[j] * (dp * keep[j] - inner) * scale;
      for (int64_t d = 0; d < c.size; ++d) {
        dq[r * c.size + d] += ds * k[(firstKey + j) * c.size + d];
        dk[(firstKey + j) * c.size + d] += ds * q[r * c.size + d];
      }
    }
  }
};

std::string type(std::initializer_list<int64_t> shape, const std::string &element = "f32") {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}

/// The kernel's text, forward or gradient.
std::string kernelText(const Case &c, bool gradient) {
  const std::string q = type({c.batch, c.heads, c.queries, c.size}),
                    k = type({c.batch, c.keyHeads, c.keys, c.size}),
                    v = type({c.batch, c.keyHeads, c.keys, c.valueSize}),
                    out = type({c.batch, c.heads, c.queries, c.valueSize}),
                    lse = type({c.batch, c.heads, c.queries}),
                    mask = type({1, 1, c.maskPerQuery ? c.queries : 1, c.keys}, c.mask);
  std::vector<std::pair<std::string, std::string>> inputs = {{"q", q}, {"k", k}, {"v", v}};
  if (gradient)
    inputs.insert(inputs.end(), {{"out", out}, {"lse", lse}, {"grad", out}});
  if (!c.mask.empty())
    inputs.emplace_back("mask", mask);
  if (c.dropout > 0)
    inputs.emplace_back("key", "tensor<2xi64>");
  std::string heads, names, types;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const char *comma = i ? ", " : "";
    heads += fmt::format("{}%{} = %{} : {}", comma, inputs[i].first, i, inputs[i].second);
    names += fmt::format("{}%{}", comma, inputs[i].first);
    types += comma + inputs[i].second;
  }
  const std::string results = gradient ? q + ", " + k + ", " + v : out + ", " + lse;
  return fmt::format("({}) -> ({}) {{\n %r:{} = raf.{} {} {{scale = {:.17e} : f64, {}dropout = "
                     "{:.17e} : f64, id = {} : i64, "
                     "operandSegmentSizes = array<i32: 1, 1, 1, {}{}, {}>}} : ({}) -> ({})\n "
                     "gen.yield {} : {}\n}}",
                     heads, results, gradient ? 3 : 2, gradient ? "attention_grad" : "attention",
                     names, 1 / std::sqrt(static_cast<double>(c.size)), c.causal ? "causal, " : "",
                     c.dropout, kId, gradient ? "1, 1, 1, " : "", c.mask.empty() ? 0 : 1,
                     c.dropout > 0 ? 1 : 0, types, results,
                     gradient ? "%r#0, %r#1, %r#2" : "%r#0, %r#1", results);
}

// float32 sums of up to 130 products of numbers up to 4, through an exponential: a few hundred
// roundings of 6e-8.
constexpr double kTolerance = 2e-5;

void expectNear(const std::vector<float> &actual, const std::vector<double> &expected,
                const char *what) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    if (std::isinf(expected[i]))
      ASSERT_EQ(actual[i], expected[i]) << what << " at " << i;
    else
      ASSERT_NEAR(actual[i], expected[i], kTolerance) << what << " at " << i;
  }
}

void check(const Case &c) {
  Expected e(c);
  std::vector<float> out(e.out.begin(), e.out.end()), lse(e.lse.begin(), e.lse.end());
  std::vector<Bytes> inputs = {bytesOf(e.q), bytesOf(e.k), bytesOf(e.v)};
  std::vector<Bytes> more;
  if (!c.mask.empty())
    more.push_back(c.mask == "i1" ? bytesOf(e.boolMask) : bytesOf(e.floatMask));
  if (c.dropout > 0)
    more.push_back(bytesOf(std::vector<uint64_t>{kSeed, kStep}));
  for (const std::string &cpu : runnableCpus()) {
    SCOPED_TRACE(cpu);
    std::vector<Bytes> forwardInputs = inputs;
    forwardInputs.insert(forwardInputs.end(), more.begin(), more.end());
    Kernel forward(kernelText(c, false), cpu);
    ASSERT_EQ(forward.error, "");
    std::vector<Bytes> results = forward.run(forwardInputs, 2);
    expectNear(valuesOf<float>(results[0]), e.out, "out");
    expectNear(valuesOf<float>(results[1]), e.lse, "logsumexp");
    std::vector<Bytes> gradientInputs = inputs;
    for (const auto &extra : {bytesOf(out), bytesOf(lse), bytesOf(e.grad)})
      gradientInputs.push_back(extra);
    gradientInputs.insert(gradientInputs.end(), more.begin(), more.end());
    Kernel gradient(kernelText(c, true), cpu);
    ASSERT_EQ(gradient.error, "");
    results = gradient.run(gradientInputs, 2);
    expectNear(valuesOf<float>(results[0]), e.dq, "dq");
    expectNear(valuesOf<float>(results[1]), e.dk, "dk");
    expectNear(valuesOf<float>(results[2]), e.dv, "dv");
  }
}

TEST(Attention, OneOfEverything) {
  check(
      {.batch = 1, .heads = 1, .keyHeads = 1, .queries = 1, .keys = 1, .size = 1, .valueSize = 1});
}
TEST(Attention, SeveralBlocks) { check({.queries = 70, .keys = 130, .size = 16, .valueSize = 24}); }
TEST(Attention, Causal) { check({.queries = 70, .keys = 70, .causal = true}); }
TEST(Attention, CausalWithFewerKeysThanQueries) {
  check({.queries = 70, .keys = 9, .causal = true});
}
TEST(Attention, CausalWithMoreKeysThanQueries) {
  check({.queries = 9, .keys = 70, .causal = true});
}
TEST(Attention, GroupedHeads) {
  check({.batch = 2, .heads = 6, .keyHeads = 2, .queries = 11, .keys = 13});
}
TEST(Attention, HeadSizesThatAreNoMultipleOfTheVector) { check({.size = 7, .valueSize = 19}); }
TEST(Attention, DropoutWithRowsThatBeginAtARandomBlock) {
  check({.queries = 66, .keys = 68, .dropout = 0.3});
}
TEST(Attention, DropoutWithRowsThatDoNot) { check({.queries = 66, .keys = 67, .dropout = 0.3}); }
TEST(Attention, BoolMask) { check({.queries = 65, .keys = 33, .mask = "i1"}); }
TEST(Attention, FloatMaskWithDropoutAndCausal) {
  check({.queries = 33, .keys = 65, .causal = true, .dropout = 0.1, .mask = "f32"});
}
TEST(Attention, KeyPaddingMask) {
  check({.queries = 20, .keys = 20, .mask = "i1", .maskPerQuery = false});
}
TEST(Attention, NoKeys) { check({.keys = 0}); }
TEST(Attention, NoQueries) { check({.queries = 0}); }

// A row whose keys are all masked gives 0, logsumexp -inf and no gradient.
TEST(Attention, RowsThatSeeNoKey) {
  Case c{.batch = 1, .heads = 1, .keyHeads = 1, .queries = 3, .keys = 4, .mask = "i1"};
  Expected e(c);
  std::vector<uint8_t> mask(12, 1);
  std::fill(mask.begin() + 4, mask.begin() + 8, uint8_t{0});
  Kernel forward(kernelText(c, false));
  ASSERT_EQ(forward.error, "");
  auto results = forward.run({bytesOf(e.q), bytesOf(e.k), bytesOf(e.v), bytesOf(mask)});
  auto out = valuesOf<float>(results[0]), lse = valuesOf<float>(results[1]);
  for (int d = 0; d < 8; ++d)
    EXPECT_EQ(out[8 + d], 0);
  EXPECT_EQ(lse[1], -INFINITY);
  Kernel gradient(kernelText(c, true));
  auto grads = gradient.run({bytesOf(e.q), bytesOf(e.k), bytesOf(e.v), results[0], results[1],
                             bytesOf(e.grad), bytesOf(mask)});
  for (int d = 0; d < 8; ++d)
    EXPECT_EQ(valuesOf<float>(grads[0])[8 + d], 0);
  for (const Bytes &g : grads)
    for (float x : valuesOf<float>(g))
      EXPECT_TRUE(std::isfinite(x));
}

// q, k and v are slices of one projection (B, T, 3, H, D) and the result is written as (B, T, H *
// D): nothing is copied.
TEST(Attention, ReadsAndWritesThroughViews) {
  const int64_t B = 2, T = 67, H = 3, D = 8;
  Case c{.batch = B,
         .heads = H,
         .keyHeads = H,
         .queries = T,
         .keys = T,
         .size = D,
         .valueSize = D,
         .causal = true};
  Expected e(c);
  std::vector<float> qkv(B * T * 3 * H * D);
  const std::vector<float> *parts[] = {&e.q, &e.k, &e.v};
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = 0; t < T; ++t)
      for (int64_t h = 0; h < H; ++h)
        for (int64_t d = 0; d < D; ++d)
          for (int part = 0; part < 3; ++part)
            qkv[(((b * T + t) * 3 + part) * H + h) * D + d] =
                (*parts[part])[((b * H + h) * T + t) * D + d];
  const std::string flat = type({B, T, H * D}), split = type({B, T, H, D}),
                    head = type({B, H, T, D}), lse = type({B, H, T});
  std::string text =
      fmt::format("(%x = %0 : {0}, %y = %1 : {0}, %z = %2 : {0}) -> ({0}) {{\n", flat);
  for (const char *name : {"x", "y", "z"})
    text += fmt::format(" %s{0} = raf.reshape %{0} : {1} -> {2}\n %t{0} = raf.transpose %s{0} "
                        "{{permutation = array<i64: 0, 2, 1, 3>}} : "
                        "({2}) -> {3}\n",
                        name, flat, split, head);
  text += fmt::format(" %o, %l = raf.attention %tx, %ty, %tz {{scale = {3:.17e} : f64, causal, "
                      "operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}} : "
                      "({0}, {0}, {0}) -> ({0}, {1})\n %u = raf.transpose %o {{permutation = "
                      "array<i64: 0, 2, 1, 3>}} : ({0}) -> {2}\n",
                      head, lse, split, 1 / std::sqrt(8.0));
  text += fmt::format(" %w = raf.reshape %u : {0} -> {1}\n gen.yield %w : {1}\n}}", split, flat);
  const llvm::SmallVector<int64_t> strides = {T * 3 * H * D, 3 * H * D, 1};
  Kernel kernel(text, "native", {strides, strides, strides});
  ASSERT_EQ(kernel.error, "");
  auto from = [&](int part) {
    return bytesOf(std::vector<float>(qkv.begin() + part * H * D, qkv.end()));
  };
  auto out = kernel.run1<float>({from(0), from(1), from(2)});
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = 0; t < T; ++t)
      for (int64_t h = 0; h < H; ++h)
        for (int64_t d = 0; d < D; ++d)
          ASSERT_NEAR(out[((b * T + t) * H + h) * D + d], e.out[((b * H + h) * T + t) * D + d],
                      kTolerance);
}

// Batch, heads and lengths are parameters: 20 lengths share one kernel.
TEST(Attention, CodeDoesNotDependOnExtents) {
  Kernel a(kernelText({.batch = 1, .queries = 8, .keys = 8, .causal = true}, false));
  Kernel b(kernelText(
      {.batch = 3, .heads = 4, .keyHeads = 2, .queries = 100, .keys = 60, .causal = true}, false));
  Kernel other(kernelText({.queries = 8, .keys = 8, .size = 16, .causal = true}, false));
  EXPECT_EQ(a.code.key, b.code.key);
  EXPECT_NE(a.code.key, other.code.key);
}

} // namespace
