#include "trainer/loop/Schedule.h"

#include "common/Error.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace raf::trainer;
using Kind = Schedule::Kind;

namespace {

TEST(Schedule, WarmUpIsLinearAndEndsAtThePeak) {
  for (Kind kind : {Kind::Constant, Kind::Linear, Kind::Cosine, Kind::InverseSqrt}) {
    const Schedule s{kind, 0.8, 0, 4, 20};
    EXPECT_DOUBLE_EQ(s.rate(0), 0.2);
    EXPECT_DOUBLE_EQ(s.rate(1), 0.4);
    EXPECT_DOUBLE_EQ(s.rate(3), 0.8);
  }
}

TEST(Schedule, DecaysByItsFormula) {
  const Schedule linear{Kind::Linear, 1.0, 0.2, 10, 110};
  EXPECT_DOUBLE_EQ(linear.rate(10), 1.0);
  EXPECT_DOUBLE_EQ(linear.rate(60), 0.6);
  EXPECT_DOUBLE_EQ(linear.rate(110), 0.2);
  EXPECT_DOUBLE_EQ(linear.rate(500), 0.2);
  const Schedule cosine{Kind::Cosine, 1.0, 0.2, 10, 110};
  EXPECT_DOUBLE_EQ(cosine.rate(10), 1.0);
  EXPECT_DOUBLE_EQ(cosine.rate(35), 0.2 + 0.4 * (1 + std::sqrt(0.5)));
  EXPECT_NEAR(cosine.rate(60), 0.6, 1e-15); // cos(pi / 2) is 6e-17 in doubles
  EXPECT_DOUBLE_EQ(cosine.rate(110), 0.2);
  const Schedule root{Kind::InverseSqrt, 1.0, 0, 16, 0};
  EXPECT_DOUBLE_EQ(root.rate(15), 1.0);
  EXPECT_DOUBLE_EQ(root.rate(63), 0.5);
  const Schedule constant{Kind::Constant, 0.3, 0, 0, 10};
  EXPECT_EQ(constant.rate(0), 0.3);
  EXPECT_EQ(constant.rate(1000), 0.3);
}

TEST(Schedule, RunsThatAreAllWarmUpOrEmptyHaveAFiniteRate) {
  for (Kind kind : {Kind::Constant, Kind::Linear, Kind::Cosine, Kind::InverseSqrt})
    for (int64_t total : {0, 1, 5})
      for (int64_t s = 0; s < 8; ++s)
        EXPECT_TRUE(std::isfinite(Schedule({kind, 1, 0, 5, total}).rate(s)));
}

TEST(Schedule, AnUnknownNameIsAUsageError) {
  EXPECT_EQ(scheduleFromName("inverse_sqrt"), Kind::InverseSqrt);
  EXPECT_THROW(scheduleFromName("cosinus"), raf::UsageError);
}

} // namespace
