// Fused groups against plain loops, on every width of vectors that runs here.
#include "tests/unit/codegen/Run.h"

#include <cmath>
#include <fmt/format.h>

using namespace raf;
using namespace raf::test;

namespace {

class Groups : public testing::TestWithParam<std::string> {};

void expectNear(const std::vector<float> &got, const std::vector<double> &want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got[i], want[i], tolerance * (1 + std::abs(want[i]))) << "element " << i;
}

TEST_P(Groups, ElementwiseChainsAreRightAtEveryLength) {
  for (int64_t n : {0, 1, 7, 8, 9, 17, 64, 100, 1000003}) {
    Kernel kernel(
        fmt::format(
            R"((%a = %0 : tensor<{0}xf32>, %b = %1 : tensor<{0}xf32>) -> (tensor<{0}xf32>, tensor<{0}xf32>) {{
      %s = raf.add %a, %b : tensor<{0}xf32>
      %m = raf.mul %s, %a : tensor<{0}xf32>
      gen.yield %s, %m : tensor<{0}xf32>, tensor<{0}xf32>
    }})",
            n),
        GetParam());
    auto a = sample(n), b = sample(n, -1, 3, 2);
    auto results = kernel.run({bytesOf(a), bytesOf(b)}, 3);
    auto s = valuesOf<float>(results[0]), m = valuesOf<float>(results[1]);
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(s[i], a[i] + b[i]);
      ASSERT_EQ(m[i], (a[i] + b[i]) * a[i]); // no contraction
    }
  }
}

TEST_P(Groups, BroadcastsAreReadNotStored) {
  Kernel kernel(
      R"((%x = %0 : tensor<5x7xf32>, %b = %1 : tensor<7xf32>, %s = %2 : tensor<f32>) -> (tensor<5x7xf32>) {
    %bb = raf.broadcast %b dims [1] : tensor<7xf32> -> tensor<5x7xf32>
    %ss = raf.broadcast %s dims [] : tensor<f32> -> tensor<5x7xf32>
    %t = raf.add %x, %bb : tensor<5x7xf32>
    %u = raf.mul %t, %ss : tensor<5x7xf32>
    gen.yield %u : tensor<5x7xf32>
  })",
      GetParam());
  auto x = sample(35), b = sample(7, 0, 1, 3);
  auto got = kernel.run1<float>({bytesOf(x), bytesOf(b), bytesOf(std::vector<float>{3})});
  for (int i = 0; i < 35; ++i)
    EXPECT_EQ(got[i], (x[i] + b[i % 7]) * 3);
}

std::string softmax(int64_t rows, int64_t columns) {
  return fmt::format(R"((%x = %0 : tensor<{0}x{1}xf32>) -> (tensor<{0}x{1}xf32>) {{
    %m = raf.reduce_max %x dims [1] : tensor<{0}x{1}xf32> -> tensor<{0}xf32>
    %mb = raf.broadcast %m dims [0] : tensor<{0}xf32> -> tensor<{0}x{1}xf32>
    %d = raf.sub %x, %mb : tensor<{0}x{1}xf32>
    %e = raf.exp %d : tensor<{0}x{1}xf32>
    %s = raf.reduce_sum %e dims [1] : tensor<{0}x{1}xf32> -> tensor<{0}xf32>
    %sb = raf.broadcast %s dims [0] : tensor<{0}xf32> -> tensor<{0}x{1}xf32>
    %r = raf.div %e, %sb : tensor<{0}x{1}xf32>
    gen.yield %r : tensor<{0}x{1}xf32>
  }})",
                     rows, columns);
}

TEST_P(Groups, SoftmaxRowsAreRightAtEveryLength) {
  for (int64_t columns : {1, 4, 7, 16, 17, 65, 129, 1000}) {
    const int64_t rows = 5;
    Kernel kernel(softmax(rows, columns), GetParam());
    auto x = sample(rows * columns, -20, 20);
    std::vector<double> want;
    for (int64_t r = 0; r < rows; ++r) {
      double most = -1e30, sum = 0;
      for (int64_t c = 0; c < columns; ++c)
        most = std::max<double>(most, x[r * columns + c]);
      for (int64_t c = 0; c < columns; ++c)
        sum += std::exp(x[r * columns + c] - most);
      for (int64_t c = 0; c < columns; ++c)
        want.push_back(std::exp(x[r * columns + c] - most) / sum);
    }
    expectNear(kernel.run1<float>({bytesOf(x)}, 2), want, 1e-6);
  }
}

TEST_P(Groups, ColumnSumsShareTheirInputs) {
  for (int64_t columns : {1, 5, 64, 77, 300}) {
    const int64_t rows = 37;
    Kernel kernel(
        fmt::format(
            R"((%x = %0 : tensor<{0}x{1}xf32>, %y = %1 : tensor<{0}x{1}xf32>) -> (tensor<{1}xf32>, tensor<{1}xf32>) {{
      %p = raf.mul %x, %y : tensor<{0}x{1}xf32>
      %a = raf.reduce_sum %x dims [0] : tensor<{0}x{1}xf32> -> tensor<{1}xf32>
      %b = raf.reduce_sum %p dims [0] : tensor<{0}x{1}xf32> -> tensor<{1}xf32>
      gen.yield %a, %b : tensor<{1}xf32>, tensor<{1}xf32>
    }})",
            rows, columns),
        GetParam());
    auto x = sample(rows * columns), y = sample(rows * columns, -2, 2, 9);
    auto results = kernel.run({bytesOf(x), bytesOf(y)}, 2);
    std::vector<double> a(columns), b(columns);
    for (int64_t i = 0; i < rows * columns; ++i) {
      a[i % columns] += x[i];
      b[i % columns] += double(x[i]) * y[i];
    }
    expectNear(valuesOf<float>(results[0]), a, 1e-5);
    expectNear(valuesOf<float>(results[1]), b, 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(, Groups, testing::ValuesIn(runnableCpus()),
                         [](const auto &info) { return info.param; });

TEST(Keys, ExtentsAndScalarsAreNoPartOfTheKey) {
  EXPECT_EQ(Kernel(softmax(5, 100)).code.key, Kernel(softmax(77, 33)).code.key);
}

} // namespace
