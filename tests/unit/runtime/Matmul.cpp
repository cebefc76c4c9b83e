#include "TestExecutable.h"

#include "common/Error.h"
#include "runtime/kernels/cpu/Strided.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

using namespace raf;
using namespace raf::test;

namespace {

enum class Accumulate { No, Elsewhere, InPlace };

/// One product and everything that may be different about it.
struct Case {
  Shape batchA, batchB;
  int64_t m, n, k;
  bool transposeA = false, transposeB = false, bias = false;
  Accumulate accumulate = Accumulate::No;
  DType dtype = DType::F32;

  Shape batch() const {
    Shape result(std::max(batchA.size(), batchB.size()), 1);
    for (const Shape &own : {batchA, batchB})
      for (size_t i = 0; i < own.size(); ++i) {
        int64_t &extent = result[result.size() - own.size() + i];
        extent = extent == 1 ? own[i] : extent;
      }
    return result;
  }
  std::string name() const {
    auto list = [](const Shape &shape) {
      std::string text;
      for (int64_t extent : shape)
        text += std::to_string(extent) + ",";
      return text;
    };
    return "[" + list(batchA) + "]x[" + list(batchB) + "] m" + std::to_string(m) + " n" +
           std::to_string(n) + " k" + std::to_string(k) + (transposeA ? " T" : " N") +
           (transposeB ? "T" : "N") + (bias ? " bias" : "") + " accumulate" +
           std::to_string(static_cast<int>(accumulate)) + " " + std::string(nameOf(dtype));
  }
};

Shape join(Shape batch, int64_t rows, int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

/// Stores `values` as `dtype`, and rounds them to what was stored.
std::vector<std::byte> store(std::vector<float> &values, DType dtype) {
  std::vector<std::byte> bytes(values.size() * sizeOf(dtype));
  runtime::withFloatType(dtype, [&]<class T>(T) {
    for (size_t i = 0; i < values.size(); ++i) {
      const T stored = runtime::convertTo<T>(values[i]);
      std::memcpy(bytes.data() + i * sizeof(T), &stored, sizeof(T));
      values[i] = static_cast<float>(stored);
    }
  });
  return bytes;
}

std::vector<double> load(const void *data, size_t count, DType dtype) {
  std::vector<double> values(count);
  runtime::withFloatType(dtype, [&]<class T>(T) {
    for (size_t i = 0; i < count; ++i) {
      T element;
      std::memcpy(&element, static_cast<const std::byte *>(data) + i * sizeof(T), sizeof(T));
      if constexpr (std::is_same_v<T, double>)
        values[i] = element;
      else
        values[i] = static_cast<float>(element);
    }
  });
  return values;
}

/// Runs the case; returns its result.
std::vector<double> run(const Case &c, const runtime::SessionOptions &options, bool check) {
  TestExecutable file;
  const Operand a =
      file.input(c.dtype, join(c.batchA, c.transposeA ? c.k : c.m, c.transposeA ? c.m : c.k));
  const Operand b =
      file.input(c.dtype, join(c.batchB, c.transposeB ? c.n : c.k, c.transposeB ? c.k : c.n));
  const Operand bias = file.input(c.dtype, {c.n});
  const Shape shape = join(c.batch(), c.m, c.n);
  const Operand accumulator = file.state(c.dtype, shape), elsewhere = file.arena(c.dtype, shape);
  const Operand result = c.accumulate == Accumulate::InPlace ? accumulator : elsewhere;
  std::vector<Operand> operands{c.transposeA ? a.transposed() : a,
                                c.transposeB ? b.transposed() : b};
  if (c.bias)
    operands.push_back(bias);
  if (c.accumulate != Accumulate::No)
    operands.push_back(accumulator);
  operands.push_back(result);
  file.library("onednn.matmul", {c.bias, c.accumulate != Accumulate::No}, operands, 1);
  file.output(result);
  const std::unique_ptr<runtime::Session> session = file.load(options);

  std::vector<float> va = randomValues(count(a.shape), 1), vb = randomValues(count(b.shape), 2),
                     vbias = randomValues(c.n, 3), vacc = randomValues(count(shape), 4);
  std::vector<std::byte> da = store(va, c.dtype), db = store(vb, c.dtype),
                         dbias = store(vbias, c.dtype), dacc = store(vacc, c.dtype);
  if (!dacc.empty())
    std::memcpy(session->state()[0].view.data, dacc.data(), dacc.size());
  const runtime::TensorView inputs[] = {view(da, c.dtype, a.shape), view(db, c.dtype, b.shape),
                                        view(dbias, c.dtype, {c.n})};
  session->run("main", inputs);
  const std::vector<double> got =
      load(session->outputs("main")[0].view.data, static_cast<size_t>(count(shape)), c.dtype);
  if (!check)
    return got;

  // Broadcast operands get strides of 0; both read through row-major order of the batch.
  auto batchOffset = [&](const Shape &own, int64_t index) {
    const Shape batch = c.batch();
    Shape strides(batch.size(), 0);
    const Shape inner = contiguous(own);
    for (size_t i = 0; i < own.size(); ++i)
      strides[batch.size() - own.size() + i] = own[i] == 1 ? 0 : inner[i];
    return offsetOf(batch, strides, index);
  };
  const double unit = c.dtype == DType::F64 ? 0x1p-53 : 0x1p-24;
  const double rounding = c.dtype == DType::BF16 ? 0x1p-8 : c.dtype == DType::F16 ? 0x1p-11 : 0;
  int64_t at = 0, wrong = 0;
  for (int64_t batch = 0; batch < count(c.batch()); ++batch)
    for (int64_t i = 0; i < c.m; ++i)
      for (int64_t j = 0; j < c.n; ++j, ++at) {
        double want = 0, size = 0;
        for (int64_t p = 0; p < c.k; ++p) {
          const int64_t ia = batchOffset(c.batchA, batch) * c.m * c.k +
                             (c.transposeA ? p * c.m + i : i * c.k + p),
                        ib = batchOffset(c.batchB, batch) * c.k * c.n +
                             (c.transposeB ? j * c.k + p : p * c.n + j);
          const double product = double{va[ia]} * vb[ib];
          want += product;
          size += std::abs(product);
        }
        if (c.bias)
          want += vbias[j], size += std::abs(vbias[j]);
        if (c.accumulate != Accumulate::No)
          want += vacc[at], size += std::abs(vacc[at]);
        // The bound for a sum of k + 2 terms in any order, and the rounding of the result.
        const double tolerance =
            static_cast<double>(c.k + 4) * unit * size + rounding * std::abs(want) * 1.01 + 1e-300;
        if (!(std::abs(got[at] - want) <= tolerance) && wrong++ < 3)
          ADD_FAILURE() << c.name() << ": element " << at << ": expected " << want << " within "
                        << tolerance << ", but got " << got[at];
      }
  return got;
}

void checkAllWays(Case c) {
  for (int ways = 0; ways < 24; ++ways) {
    c.transposeA = ways & 1;
    c.transposeB = ways & 2;
    c.bias = ways & 4;
    c.accumulate = static_cast<Accumulate>(ways / 8);
    const std::vector<double> free = run(c, {.threads = 2}, true);
    const std::vector<double> one = run(c, {.threads = 1, .deterministic = true}, true);
    const std::vector<double> two = run(c, {.threads = 2, .deterministic = true}, false);
    EXPECT_EQ(one, two) << c.name();
    if (testing::Test::HasFailure())
      return;
  }
}

} // namespace

// Every combination of transposes, bias and accumulator equals the sums written as loops, and the
// deterministic mode gives the same bits for 1 and 2 threads.
TEST(Matmul, SizesAndWays) {
  const int64_t sizes[][3] = {{1, 1, 1},   {1, 7, 5},    {13, 1, 3},   {17, 31, 1},
                              {48, 48, 8}, {64, 80, 33}, {97, 101, 37}};
  for (const auto &[m, n, k] : sizes)
    checkAllWays({{}, {}, m, n, k});
}

// The inner dimension is where oneDNN would split the sum by threads.
TEST(Matmul, LongInnerDimension) { checkAllWays({{}, {}, 32, 40, 700}); }

TEST(Matmul, BatchesBroadcastAsInNumPy) {
  const std::pair<Shape, Shape> batches[] = {{{3}, {3}},       {{3}, {}},        {{}, {3}},
                                             {{2, 3}, {2, 3}}, {{2, 1}, {1, 3}}, {{2, 3}, {3}},
                                             {{1, 3}, {2, 1}}, {{1}, {2, 3}}};
  for (const auto &[a, b] : batches) {
    checkAllWays({a, b, 5, 9, 7});
    checkAllWays({a, b, 1, 9, 7});
  }
}

// A product over no elements is its bias and accumulator, or zero; a result without elements is
// left alone.
TEST(Matmul, ZeroSizes) {
  checkAllWays({{}, {}, 3, 5, 0});
  checkAllWays({{2}, {2}, 3, 5, 0});
  checkAllWays({{}, {}, 0, 5, 4});
  checkAllWays({{}, {}, 3, 0, 4});
  checkAllWays({{0}, {0}, 3, 5, 4});
  checkAllWays({{0}, {}, 3, 5, 4});
}

// Sums are at least float32, with one rounding at the end, on processors without 16-bit units too.
TEST(Matmul, OtherFloatTypes) {
  for (DType dtype : {DType::BF16, DType::F16, DType::F64}) {
    checkAllWays({{}, {}, 37, 53, 65, false, false, false, Accumulate::No, dtype});
    checkAllWays({{3}, {}, 5, 9, 17, false, false, false, Accumulate::No, dtype});
    checkAllWays({{}, {}, 3, 5, 0, false, false, false, Accumulate::No, dtype});
  }
}

// Heads of attention: batches of a transposed view, whose strides are not nested.
TEST(Matmul, InterleavedBatchStrides) {
  constexpr int64_t kBatch = 2, kHeads = 3, kTokens = 10, kWidth = 4;
  TestExecutable file;
  Operand x = file.input(DType::F32, {kBatch, kTokens, kHeads, kWidth});
  Operand q = x;
  q.shape = {kBatch, kHeads, kTokens, kWidth};
  q.strides = {kTokens * kHeads * kWidth, kWidth, kHeads * kWidth, 1};
  const Operand scores = file.arena(DType::F32, {kBatch, kHeads, kTokens, kTokens});
  Operand y = file.arena(DType::F32, {kBatch, kTokens, kHeads, kWidth});
  Operand out = y;
  out.shape = q.shape;
  out.strides = q.strides;
  file.library("onednn.matmul", {0, 0}, {q, q.transposed(), scores}, 1);
  file.library("onednn.matmul", {0, 0}, {scores, q, out}, 1);
  file.output(y);
  std::vector<float> data = randomValues(count(x.shape), 1);
  const runtime::TensorView inputs[] = {view(data, DType::F32, x.shape)};
  for (bool deterministic : {false, true}) {
    const auto session = file.load({.threads = 2, .deterministic = deterministic});
    session->run("main", inputs);
    const auto *got = static_cast<const float *>(session->outputs("main")[0].view.data);
    auto at = [&](int64_t b, int64_t h, int64_t t, int64_t w) {
      return ((b * kTokens + t) * kHeads + h) * kWidth + w;
    };
    for (int64_t b = 0; b < kBatch; ++b)
      for (int64_t h = 0; h < kHeads; ++h)
        for (int64_t t = 0; t < kTokens; ++t)
          for (int64_t w = 0; w < kWidth; ++w) {
            double want = 0;
            for (int64_t s = 0; s < kTokens; ++s) {
              double score = 0;
              for (int64_t i = 0; i < kWidth; ++i)
                score += double{data[at(b, h, t, i)]} * data[at(b, h, s, i)];
              want += score * data[at(b, h, s, w)];
            }
            // 14 terms below 4 in magnitude.
            ASSERT_NEAR(got[at(b, h, t, w)], want, 14 * 4 * 0x1p-23);
          }
  }
}

// Strides that no library takes (reversed, broadcast, both dimensions strided) are packed.
TEST(Matmul, AnyStrides) {
  TestExecutable file;
  const Operand x = file.input(DType::F32, {40});
  Operand a = x, b = x;
  a.shape = {3, 4};
  a.strides = {-8, 2}; // rows backwards, every other column
  a.offset = 16 * 4;
  b.shape = {4, 5};
  b.strides = {3, 0};
  const Operand base = file.arena(DType::F32, {30});
  Operand c = base;
  c.shape = {3, 5};
  c.strides = {2, 6}; // column by column, with gaps
  file.library("onednn.matmul", {0, 0}, {a, b, c}, 1);
  file.output(base);
  std::vector<float> data = randomValues(40, 1);
  const runtime::TensorView inputs[] = {view(data, DType::F32, x.shape)};
  const auto session = file.load({.threads = 2});
  session->run("main", inputs);
  const auto *got = static_cast<const float *>(session->outputs("main")[0].view.data);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 5; ++j) {
      double want = 0;
      for (int64_t p = 0; p < 4; ++p)
        want += double{data[16 - 8 * i + 2 * p]} * data[3 * p];
      ASSERT_NEAR(got[i * 2 + j * 6], want, 4 * 0x1p-23);
    }
}

// NaN and infinity come through, also against a zero factor.
TEST(Matmul, NonFiniteValues) {
  TestExecutable file;
  const Operand a = file.input(DType::F32, {2, 2}), b = file.input(DType::F32, {2, 2});
  const Operand c = file.arena(DType::F32, {2, 2});
  file.library("onednn.matmul", {0, 0}, {a, b, c}, 1);
  file.output(c);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> va{kInfinity, 1, 0, NAN}, vb{0, 1, 1, 1};
  const runtime::TensorView inputs[] = {view(va, DType::F32, {2, 2}), view(vb, DType::F32, {2, 2})};
  const auto session = file.load({.threads = 1});
  session->run("main", inputs);
  const auto *got = static_cast<const float *>(session->outputs("main")[0].view.data);
  EXPECT_TRUE(std::isnan(got[0]));
  EXPECT_EQ(got[1], kInfinity);
  EXPECT_TRUE(std::isnan(got[2]));
  EXPECT_TRUE(std::isnan(got[3]));
}

// A call whose operands do not fit is refused when the file is loaded, naming function and command.
TEST(Matmul, RefusesOperandsThatDoNotFit) {
  auto refused = [](Shape a, Shape b, Shape c, std::vector<int64_t> ints,
                    DType dtype = DType::F32) {
    TestExecutable file;
    const Operand x = file.input(DType::F32, a), y = file.input(dtype, b),
                  z = file.arena(DType::F32, c);
    file.library("onednn.matmul", std::move(ints), {x, y, z}, 1).source = "model.py:7";
    try {
      file.load();
    } catch (const InvalidFileError &error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string where =
      "executable: function \"main\": model.py:7: command 0 (onednn.matmul): onednn.matmul: ";
  EXPECT_EQ(refused({2, 3}, {4, 5}, {2, 5}, {0, 0}),
            where + "expected (2, K) x (K, 5) for a result of (2, 5), but got (2, 3) x (4, 5)");
  EXPECT_EQ(refused({2, 2, 3}, {3, 3, 5}, {3, 2, 5}, {0, 0}),
            where + "expected a batch extent of 3 or 1, but got 2");
  EXPECT_EQ(refused({2, 3}, {3, 5}, {2, 5}, {1, 0}), where + "expected 4 operands, but got 3");
  EXPECT_EQ(refused({2, 3}, {3, 5}, {2, 5}, {}),
            where + "expected 2 integers and 1 result, but got 0 and 1");
  EXPECT_EQ(refused({3}, {3, 5}, {5}, {0, 0}),
            where + "expected operands of rank >= 2 and a result of the greater rank, but got 1, 2 "
                    "and 1");
  EXPECT_EQ(refused({2, 3}, {3, 5}, {2, 5}, {0, 0}, DType::BF16),
            where + "expected operands of one float type, but got bf16 and f32");
}

// All of the above with oneDNN held to AVX2: its GEMM, which it picks there, splits sums by
// threads, and 16-bit floats have no implementation. oneDNN reads its limit once, so this takes a
// process.
TEST(Matmul, HoldsOnAvx2) {
  if (std::getenv("ONEDNN_MAX_CPU_ISA"))
    GTEST_SKIP() << "the instruction set is limited already";
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      "ONEDNN_MAX_CPU_ISA=AVX2 '" + program + "' --gtest_filter='Matmul.*' --gtest_brief=1";
  EXPECT_EQ(std::system(command.c_str()), 0);
}
