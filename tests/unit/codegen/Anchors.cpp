// Matrix products, sums at indices, scans, gathers, windows and random numbers against plain loops.
#include "tests/unit/codegen/Run.h"

#include "common/Philox.h"

#include <cmath>
#include <fmt/format.h>

using namespace raf;
using namespace raf::test;

namespace {

class Anchors : public testing::TestWithParam<std::string> {};

TEST_P(Anchors, MatmulIsRightForEveryTransposeAndTail) {
  struct Shape {
    int64_t batch, m, n, k;
  };
  for (auto [batch, m, n, k] : {Shape{1, 1, 1, 1},
                                {2, 7, 5, 3},
                                {3, 13, 33, 17},
                                {1, 100, 70, 300},
                                {1, 6, 16, 0},
                                {2, 64, 64, 64}})
    for (bool ta : {false, true})
      for (bool tb : {false, true}) {
        const auto text = fmt::format(
            R"((%a = %0 : tensor<{0}x{1}x{2}xf32>, %b = %1 : tensor<{0}x{3}x{4}xf32>) -> (tensor<{0}x{5}x{6}xf32>) {{
          %r = raf.matmul %a, %b {{{7}}} : (tensor<{0}x{1}x{2}xf32>, tensor<{0}x{3}x{4}xf32>) -> tensor<{0}x{5}x{6}xf32>
          gen.yield %r : tensor<{0}x{5}x{6}xf32>
        }})",
            batch, ta ? k : m, ta ? m : k, tb ? n : k, tb ? k : n, m, n,
            ta && tb ? "transpose_a, transpose_b"
            : ta     ? "transpose_a"
            : tb     ? "transpose_b"
                     : "");
        Kernel kernel(text, GetParam());
        const auto a = sample(batch * m * k), b = sample(batch * k * n, -2, 2, 5);
        const auto got = kernel.run1<float>({bytesOf(a), bytesOf(b)}, 2);
        for (int64_t z = 0; z < batch; ++z)
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
              double sum = 0;
              for (int64_t s = 0; s < k; ++s)
                sum += double(a[z * m * k + (ta ? s * m + i : i * k + s)]) *
                       b[z * k * n + (tb ? j * k + s : s * n + j)];
              // 300 products of up to 4, summed in f32
              ASSERT_NEAR(got[(z * m + i) * n + j], sum, 1e-4) << text;
            }
      }
}

TEST_P(Anchors, MatmulReadsStridesAndRepeatsBatches) {
  // a is (2, 3, 4) seen through strides (1, 8, 2) of 24 elements; b has batch extent 1.
  Kernel kernel(
      R"((%a = %0 : tensor<2x3x4xf64>, %b = %1 : tensor<1x4x5xf64>) -> (tensor<2x3x5xf64>) {
    %r = raf.matmul %a, %b : (tensor<2x3x4xf64>, tensor<1x4x5xf64>) -> tensor<2x3x5xf64>
    gen.yield %r : tensor<2x3x5xf64>
  })",
      GetParam(), {{1, 8, 2}, {20, 5, 1}});
  std::vector<double> a, b;
  for (int i = 0; i < 24; ++i)
    a.push_back(i + 1);
  for (int i = 0; i < 20; ++i)
    b.push_back(20 - i);
  const auto got = kernel.run1<double>({bytesOf(a), bytesOf(b)});
  for (int z = 0; z < 2; ++z)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 5; ++j) {
        double sum = 0;
        for (int s = 0; s < 4; ++s)
          sum += a[z + 8 * i + 2 * s] * b[5 * s + j];
        EXPECT_EQ(got[(z * 3 + i) * 5 + j], sum);
      }
}

TEST_P(Anchors, EmbeddingAndItsGradient) {
  const std::vector<int64_t> ids = {3, 0, 3, 6, 1, 3};
  const auto table = sample(7 * 19);
  Kernel forward(
      R"((%w = %0 : tensor<7x19xf32>, %i = %1 : tensor<2x3xi64>) -> (tensor<2x3x19xf32>) {
    %r = raf.embedding %w, %i : (tensor<7x19xf32>, tensor<2x3xi64>) -> tensor<2x3x19xf32>
    gen.yield %r : tensor<2x3x19xf32>
  })",
      GetParam());
  const auto rows = forward.run1<float>({bytesOf(table), bytesOf(ids)});
  for (int i = 0; i < 6; ++i)
    for (int c = 0; c < 19; ++c)
      EXPECT_EQ(rows[i * 19 + c], table[ids[i] * 19 + c]);

  Kernel backward(
      R"((%g = %0 : tensor<2x3x19xf32>, %i = %1 : tensor<2x3xi64>) -> (tensor<7x19xf32>) {
    %r = raf.embedding_grad %g, %i {rows = 7 : i64, padding_idx = 1 : i64} : (tensor<2x3x19xf32>, tensor<2x3xi64>) -> tensor<7x19xf32>
    gen.yield %r : tensor<7x19xf32>
  })",
      GetParam());
  const auto grad = sample(6 * 19, -1, 1, 3);
  const auto sums = backward.run1<float>({bytesOf(grad), bytesOf(ids)});
  std::vector<float> want(7 * 19, 0);
  for (int i = 0; i < 6; ++i)
    for (int c = 0; c < 19; ++c)
      if (ids[i] != 1)
        want[ids[i] * 19 + c] += grad[i * 19 + c];
  EXPECT_EQ(sums, want);
}

TEST_P(Anchors, PutAddAndScatterAddAccumulateDuplicates) {
  const auto base = sample(3 * 5 * 2), updates = sample(3 * 4 * 2, -1, 1, 2);
  const std::vector<int32_t> at = {4, 0, 4, 4};
  Kernel put(
      R"((%x = %0 : tensor<3x5x2xf32>, %i = %1 : tensor<4xi32>, %u = %2 : tensor<3x4x2xf32>) -> (tensor<3x5x2xf32>) {
    %r = raf.put_add %x, %i, %u {dim = 1 : i64} : (tensor<3x5x2xf32>, tensor<4xi32>, tensor<3x4x2xf32>) -> tensor<3x5x2xf32>
    gen.yield %r : tensor<3x5x2xf32>
  })",
      GetParam());
  auto want = base;
  for (int o = 0; o < 3; ++o)
    for (int i = 0; i < 4; ++i)
      for (int c = 0; c < 2; ++c)
        want[(o * 5 + at[i]) * 2 + c] += updates[(o * 4 + i) * 2 + c];
  EXPECT_EQ(put.run1<float>({bytesOf(base), bytesOf(at), bytesOf(updates)}, 3), want);

  const std::vector<int64_t> places = {0, 1, 1, 0, 2, 2}; // (2, 3) into (4, 3) along 0
  const auto target = sample(12), terms = sample(6, -1, 1, 4);
  Kernel scatter(
      R"((%x = %0 : tensor<4x3xf32>, %i = %1 : tensor<2x3xi64>, %u = %2 : tensor<2x3xf32>) -> (tensor<4x3xf32>) {
    %r = raf.scatter_add %x, %i, %u {dim = 0 : i64} : (tensor<4x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
    gen.yield %r : tensor<4x3xf32>
  })",
      GetParam());
  want = target;
  for (int i = 0; i < 6; ++i)
    want[places[i] * 3 + i % 3] += terms[i];
  EXPECT_EQ(scatter.run1<float>({bytesOf(target), bytesOf(places), bytesOf(terms)}), want);
}

TEST_P(Anchors, ScansWalkInOrderAlongEitherDimension) {
  const std::vector<float> x = {1, 5, 5, -2, NAN, 3, NAN, 0, 7, 7, 1, 7};
  auto run = [&](const std::string &op, const std::string &attributes, const std::string &type) {
    const bool unary = op == "cumsum";
    return Kernel(fmt::format(R"((%a = %0 : tensor<3x4xf32>) -> ({2}) {{
      %r = raf.{0} %a {{{1}}} : {3}
      gen.yield %r : {2}
    }})",
                              op, attributes, type, unary ? type : "(tensor<3x4xf32>) -> " + type),
                  GetParam())
        .run({bytesOf(x)})[0];
  };
  using testing::ElementsAre;
  EXPECT_THAT(valuesOf<int64_t>(run("argmax", "dim = 1 : i64", "tensor<3xi64>")),
              ElementsAre(1, 0, 0));
  EXPECT_THAT(valuesOf<int64_t>(run("argmin", "dim = 0 : i64", "tensor<4xi64>")),
              ElementsAre(1, 1, 1, 0));
  const auto sums = valuesOf<float>(run("cumsum", "dim = 0 : i64, reverse", "tensor<3x4xf32>"));
  EXPECT_EQ(sums[3], 5);
  EXPECT_EQ(sums[8], 7);
  EXPECT_TRUE(std::isnan(sums[0]));
  const auto rows = valuesOf<float>(run("cumsum", "dim = 1 : i64", "tensor<3x4xf32>"));
  EXPECT_EQ(rows[3], 9);
  EXPECT_EQ(rows[11], 22);
}

TEST_P(Anchors, WindowsJoinPadAndTurn) {
  const auto a = sample(3 * 9), b = sample(3 * 20, -1, 1, 2);
  Kernel concat(
      R"((%a = %0 : tensor<3x9xf32>, %b = %1 : tensor<3x20xf32>) -> (tensor<3x29xf32>) {
    %r = raf.concat %a, %b {dim = 1 : i64} : (tensor<3x9xf32>, tensor<3x20xf32>) -> tensor<3x29xf32>
    gen.yield %r : tensor<3x29xf32>
  })",
      GetParam());
  auto got = concat.run1<float>({bytesOf(a), bytesOf(b)});
  for (int i = 0; i < 3 * 29; ++i)
    ASSERT_EQ(got[i], i % 29 < 9 ? a[i / 29 * 9 + i % 29] : b[i / 29 * 20 + i % 29 - 9]);

  Kernel pad(R"((%a = %0 : tensor<3x9xf32>, %v = %1 : tensor<f32>) -> (tensor<5x12xf32>) {
    %r = raf.pad %a, %v {low = array<i64: 1, 2>, high = array<i64: 1, 1>} : (tensor<3x9xf32>, tensor<f32>) -> tensor<5x12xf32>
    gen.yield %r : tensor<5x12xf32>
  })",
             GetParam());
  got = pad.run1<float>({bytesOf(a), bytesOf(std::vector<float>{7})});
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 12; ++c)
      ASSERT_EQ(got[r * 12 + c], r >= 1 && r < 4 && c >= 2 && c < 11 ? a[(r - 1) * 9 + c - 2] : 7);

  Kernel reverse(R"((%a = %0 : tensor<3x9xf32>) -> (tensor<3x9xf32>) {
    %r = raf.reverse %a dims [0, 1] : tensor<3x9xf32>
    gen.yield %r : tensor<3x9xf32>
  })",
                 GetParam());
  got = reverse.run1<float>({bytesOf(a)});
  for (int i = 0; i < 27; ++i)
    ASSERT_EQ(got[i], a[26 - i]);
}

TEST_P(Anchors, RandomNumbersAreThoseOfThePhiloxContract) {
  const philox::Stream stream{0x123456789abcdefull, 77, 5};
  const std::vector<int64_t> key = {static_cast<int64_t>(stream.seed), 77};
  for (auto [rows, columns] : {std::pair{3, 7}, {5, 64}, {1, 1}, {2, 132}, {1, 100003}}) {
    const auto shape = fmt::format("tensor<{}x{}xf32>", rows, columns);
    for (const char *op : {"uniform", "normal"}) {
      Kernel kernel(fmt::format(R"((%k = %0 : tensor<2xi64>, %x = %1 : {0}) -> ({0}, {0}) {{
        %u = raf.{1} %k {{id = 5 : i64}} : tensor<2xi64> -> {0}
        %s = raf.mul %u, %x : {0}
        gen.yield %u, %s : {0}, {0}
      }})",
                                shape, op),
                    GetParam());
      const std::vector<float> twos(rows * columns, 2);
      const auto got = valuesOf<float>(kernel.run({bytesOf(key), bytesOf(twos)}, 2)[0]);
      for (int i = 0; i < rows * columns; ++i)
        if (op[0] == 'u')
          ASSERT_EQ(got[i], philox::uniform(stream, i)) << shape << " element " << i;
        else
          ASSERT_NEAR(got[i], philox::normal(stream, i), 1e-5) << shape << " element " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Anchors, testing::ValuesIn(runnableCpus()),
                         [](const auto &info) { return info.param; });

} // namespace
