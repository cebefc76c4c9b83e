#include "trainer/loop/InitializeState.h"

#include "common/Error.h"
#include "common/Philox.h"
#include "tests/unit/trainer/Support.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace raf;
using namespace raf::trainer;
using raf::test::messageOf;
using testing::Each;
using testing::HasSubstr;

namespace {

template <typename T>
std::vector<T> made(const std::string &name, const std::string &init, DType dtype, int64_t size,
                    uint64_t seed = 1) {
  std::vector<T> data(static_cast<size_t>(size) + 1, static_cast<T>(77)); // one past the end
  initializeState(
      {name, {data.data(), dtype, {size}, {}}, runtime::StateKind::Parameter, false, init}, seed);
  EXPECT_EQ(data.back(), static_cast<T>(77)) << "wrote past the end";
  data.pop_back();
  return data;
}

TEST(InitializeState, ConstantsFillEveryDtype) {
  EXPECT_THAT(made<float>("w", "zeros", DType::F32, 7), Each(0.0f));
  EXPECT_THAT(made<double>("w", "ones", DType::F64, 7), Each(1.0));
  EXPECT_THAT(made<uint16_t>("w", "ones", DType::BF16, 5), Each(0x3f80));
  EXPECT_THAT(made<uint16_t>("w", "ones", DType::F16, 5), Each(0x3c00));
  EXPECT_THAT(made<int64_t>("w", "fill(-3)", DType::I64, 3), Each(-3));
  EXPECT_THAT(made<uint8_t>("w", "ones", DType::I1, 3), Each(1));
  EXPECT_TRUE(made<float>("w", "normal(0,1)", DType::F32, 0).empty());
}

TEST(InitializeState, RandomValuesAreAFunctionOfSeedNameAndIndex) {
  const auto a = made<float>("a", "normal(0,0.02)", DType::F32, 1001);
  EXPECT_EQ(a, made<float>("a", "normal(0,0.02)", DType::F32, 1001));
  EXPECT_NE(a, made<float>("b", "normal(0,0.02)", DType::F32, 1001));
  EXPECT_NE(a, made<float>("a", "normal(0,0.02)", DType::F32, 1001, 2));
  // A longer tensor begins with the same values.
  auto longer = made<float>("a", "normal(0,0.02)", DType::F32, 200003);
  longer.resize(a.size());
  EXPECT_EQ(a, longer);
}

TEST(InitializeState, MomentsAreTheOnesAskedFor) {
  // 100,000 values: the mean deviates by 0.0063 (one sigma), the deviation by 0.0045.
  double sum = 0, squares = 0;
  for (float value : made<float>("a", "normal(1, 2)", DType::F32, 100000)) {
    sum += value;
    squares += (value - 1.0) * (value - 1.0);
  }
  EXPECT_NEAR(sum / 1e5, 1, 0.03);
  EXPECT_NEAR(std::sqrt(squares / 1e5), 2, 0.03);
  for (float value : made<float>("a", "uniform(-0.5,0.25)", DType::F32, 100000)) {
    EXPECT_GE(value, -0.5f);
    EXPECT_LE(value, 0.25f);
  }
}

TEST(InitializeState, UnknownInitialisationsAreNamed) {
  for (const char *bad : {"", "xavier", "normal", "normal(1)", "normal(1,2", "fill(x)", "zeros(1)"})
    EXPECT_THAT(messageOf<InvalidFileError>([&] { made<float>("h.w", bad, DType::F32, 2); }),
                HasSubstr("state 'h.w': unknown initialisation"))
        << bad;
}

} // namespace
