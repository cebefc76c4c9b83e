#include "TestExecutable.h"

#include "common/Error.h"
#include "common/HalfFloat.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

using namespace raf;
using namespace raf::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T> struct Sorted {
  std::vector<T> values;
  std::vector<int64_t> indices;
};

/// Runs rt.sort (k < 0) or rt.topk along the only dimension.
template <class T>
Sorted<T> sorted(std::vector<T> x, DType dtype, bool descending = false, int64_t k = -1) {
  const auto n = static_cast<int64_t>(x.size()), kept = k < 0 ? n : k;
  TestExecutable file;
  const Operand in = file.input(dtype, {n}), values = file.arena(dtype, {kept}),
                indices = file.arena(DType::I64, {kept});
  if (k < 0)
    file.library("rt.sort", {0, descending}, {in, values, indices}, 2);
  else
    file.library("rt.topk", {k, 0}, {in, values, indices}, 2);
  file.output(values);
  file.output(indices);
  const auto session = file.load({.threads = 2});
  const runtime::TensorView inputs[] = {view(x, dtype, {n})};
  session->run("main", inputs);
  const auto *v = static_cast<const T *>(session->outputs("main")[0].view.data);
  const auto *i = static_cast<const int64_t *>(session->outputs("main")[1].view.data);
  return {{v, v + kept}, {i, i + kept}};
}

} // namespace

// NaN is greater than infinity, equal values (and NaNs, and zeros of both signs) keep their order
// in both directions.
TEST(Sort, OrderOfFloats) {
  const std::vector<float> x{0.0f, NAN, 2, -kInfinity, -0.0f, kInfinity, 2, -NAN, -1};
  EXPECT_THAT(sorted(x, DType::F32).indices, ElementsAre(3, 8, 0, 4, 2, 6, 5, 1, 7));
  EXPECT_THAT(sorted(x, DType::F32, true).indices, ElementsAre(1, 7, 5, 2, 6, 0, 4, 8, 3));
  const Sorted<float> up = sorted(x, DType::F32);
  EXPECT_TRUE(std::signbit(up.values[3])); // values are copied, not made from keys
  EXPECT_FALSE(std::signbit(up.values[2]));
  EXPECT_TRUE(std::isnan(up.values[8]));
}

TEST(Sort, OrderOfOtherTypes) {
  EXPECT_THAT(sorted<double>({1e300, -1e-300, 0, -1e300}, DType::F64).indices,
              ElementsAre(3, 1, 2, 0));
  EXPECT_THAT(sorted<int64_t>({1, INT64_MIN, INT64_MAX, -1}, DType::I64).indices,
              ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(sorted<int32_t>({1, INT32_MIN, -1}, DType::I32).indices, ElementsAre(1, 2, 0));
  EXPECT_THAT(sorted<int16_t>({1, -7, -1}, DType::I16).indices, ElementsAre(1, 2, 0));
  EXPECT_THAT(sorted<int8_t>({1, -7, -1}, DType::I8).values, ElementsAre(-7, -1, 1));
  EXPECT_THAT(sorted<uint8_t>({1, 200, 0}, DType::U8).values, ElementsAre(0, 1, 200));
  EXPECT_THAT(sorted<uint8_t>({1, 0, 1}, DType::I1).indices, ElementsAre(1, 0, 2));
  auto half = [](auto make) {
    std::vector<decltype(make(0))> x{make(1), make(-2), make(NAN), make(0.5)};
    return x;
  };
  EXPECT_THAT(
      sorted(half([](double v) { return BF16(static_cast<float>(v)); }), DType::BF16).indices,
      ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(sorted(half([](double v) { return F16(static_cast<float>(v)); }), DType::F16).indices,
              ElementsAre(1, 3, 0, 2));
}

// The first of equals wins, NaN comes first, and any k from 0 to all is allowed.
TEST(TopK, PicksTheGreatest) {
  const std::vector<float> x{1, 5, NAN, 5, 3, 5};
  EXPECT_THAT(sorted(x, DType::F32, true, 3).indices, ElementsAre(2, 1, 3));
  EXPECT_THAT(sorted(x, DType::F32, true, 6).indices, ElementsAre(2, 1, 3, 5, 4, 0));
  EXPECT_TRUE(sorted(x, DType::F32, true, 0).indices.empty());
  EXPECT_TRUE(sorted(std::vector<float>{}, DType::F32, true, 0).indices.empty());
  EXPECT_TRUE(sorted(std::vector<float>{}, DType::F32).indices.empty());
}

// Sorting along a middle dimension of strided views equals sorting its rows one by one, for any
// number of threads.
TEST(Sort, AnyDimensionAndStrides) {
  constexpr int64_t kA = 3, kN = 17, kB = 5;
  TestExecutable file;
  const Operand base = file.input(DType::F32, {kB, kN, kA});
  Operand x = base;
  x.shape = {kA, kN, kB};
  x.strides = {1, kA, kN * kA};
  const Operand values = file.arena(DType::F32, x.shape), indices = file.arena(DType::I64, x.shape);
  file.library("rt.sort", {1, 0}, {x, values, indices}, 2);
  file.output(values);
  file.output(indices);
  std::vector<float> data = randomValues(kA * kN * kB, 1);
  for (float &value : data)
    value = std::round(value * 4); // many equal ones
  const runtime::TensorView inputs[] = {view(data, DType::F32, base.shape)};
  for (int threads : {1, 2, 3}) {
    const auto session = file.load({.threads = threads});
    session->run("main", inputs);
    const auto *v = static_cast<const float *>(session->outputs("main")[0].view.data);
    const auto *index = static_cast<const int64_t *>(session->outputs("main")[1].view.data);
    for (int64_t a = 0; a < kA; ++a)
      for (int64_t b = 0; b < kB; ++b) {
        std::vector<int64_t> want(kN);
        for (int64_t i = 0; i < kN; ++i)
          want[i] = i;
        auto at = [&](int64_t i) { return data[(b * kN + i) * kA + a]; };
        std::ranges::sort(want, {}, [&](int64_t i) { return std::pair(at(i), i); });
        for (int64_t i = 0; i < kN; ++i) {
          ASSERT_EQ(index[(a * kN + i) * kB + b], want[i]);
          ASSERT_EQ(v[(a * kN + i) * kB + b], at(want[i]));
        }
      }
  }
}

TEST(Sort, RefusesOperandsThatDoNotFit) {
  auto refused = [](const char *name, std::vector<int64_t> ints, Shape x, Shape result,
                    DType index) {
    TestExecutable file;
    file.library(
        name, std::move(ints),
        {file.input(DType::F32, x), file.arena(DType::F32, result), file.arena(index, result)}, 2);
    try {
      file.load();
    } catch (const InvalidFileError &error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refused("rt.sort", {1, 0}, {4}, {4}, DType::I64),
              HasSubstr("rt.sort: expected a dimension below 1, but got 1"));
  EXPECT_THAT(refused("rt.sort", {0, 0}, {4}, {3}, DType::I64),
              HasSubstr("rt.sort: expected results of shape [4], but got [3]"));
  EXPECT_THAT(refused("rt.topk", {5, 0}, {4}, {5}, DType::I64),
              HasSubstr("rt.topk: expected k between 0 and 4, but got 5"));
  EXPECT_THAT(refused("rt.topk", {2, 0}, {4}, {2}, DType::I32),
              HasSubstr("rt.topk: expected results of f32 and i64, but got f32 and i32"));
  EXPECT_THAT(refused("rt.topk", {2}, {4}, {2}, DType::I64), HasSubstr("expected 2 integers"));
}
