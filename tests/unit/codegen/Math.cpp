// Elementary functions of f32 against libm in f64, over their whole range.
#include "tests/unit/codegen/Run.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>

using namespace raf;
using namespace raf::test;

namespace {

struct Function {
  const char *op;
  double (*exact)(double);
  float low, high;
  double ulps; // largest error in units in the last place of the result
};

double rsqrt(double x) { return 1 / std::sqrt(x); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double ulp(double exact) {
  const float f = std::abs(static_cast<float>(exact));
  return std::max<double>(std::nextafter(f, INFINITY) - f, 0x1p-149);
}

class Math : public testing::TestWithParam<std::string> {
protected:
  std::vector<float> apply(const char *op, const std::vector<float> &x) {
    Kernel kernel(fmt::format(R"((%a = %0 : tensor<{0}xf32>) -> (tensor<{0}xf32>) {{
      %r = raf.{1} %a : tensor<{0}xf32>
      gen.yield %r : tensor<{0}xf32>
    }})",
                              x.size(), op),
                  GetParam());
    for (const auto &import : kernel.machineCode.imports)
      imports.push_back(import.symbol);
    return kernel.run1<float>({bytesOf(x)});
  }
  std::vector<std::string> imports;
};

TEST_P(Math, ErrorsAreAFewUnitsInTheLastPlace) {
  const Function functions[] = {
      {"exp", std::exp, -103, 88.7f, 2},    {"exp", std::exp, -1, 1, 2},
      {"expm1", std::expm1, -30, 88, 3},    {"expm1", std::expm1, -1, 1, 3},
      {"log", std::log, 1e-38f, 1e38f, 2},  {"log", std::log, 0.5f, 2, 2},
      {"log1p", std::log1p, -0.99f, 10, 3}, {"log1p", std::log1p, -1e-3f, 1e-3f, 3},
      {"tanh", std::tanh, -12, 12, 4},      {"tanh", std::tanh, -1e-2f, 1e-2f, 4},
      {"erf", std::erf, -5, 5, 4},          {"erf", std::erf, -1e-2f, 1e-2f, 4},
      {"sigmoid", sigmoid, -80, 80, 4},     {"rsqrt", rsqrt, 1e-30f, 1e30f, 2},
      {"sqrt", std::sqrt, 0, 1e30f, 0.51},  {"sin", std::sin, -3, 3, 2},
      {"cos", std::cos, -3, 3, 2},          {"sin", std::sin, -1e6f, 1e6f, 2},
      {"tan", std::tan, -1.5f, 1.5f, 4},
  };
  for (const Function &f : functions) {
    const auto x = sample(20001, f.low, f.high, 7);
    const auto got = apply(f.op, x);
    double worst = 0;
    float where = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = f.exact(x[i]), error = std::abs(got[i] - exact) / ulp(exact);
      if (!(error <= worst)) {
        worst = error;
        where = x[i];
      }
    }
    EXPECT_LE(worst, f.ulps) << f.op << " at " << where;
  }
}

TEST_P(Math, SpecialValuesAreThoseOfLibm) {
  constexpr float inf = INFINITY, nan = NAN;
  const std::vector<float> x = {0.0f,    -0.0f, inf,    -inf,  nan,  1e-45f,
                                -1e-45f, 3e38f, -3e38f, -1.0f, 89.0f};
  const Function functions[] = {
      {"exp", std::exp, 0, 0, 2},     {"expm1", std::expm1, 0, 0, 3}, {"log", std::log, 0, 0, 2},
      {"log1p", std::log1p, 0, 0, 3}, {"tanh", std::tanh, 0, 0, 4},   {"erf", std::erf, 0, 0, 4},
      {"sigmoid", sigmoid, 0, 0, 4},  {"sin", std::sin, 0, 0, 2},     {"cos", std::cos, 0, 0, 2},
      {"rsqrt", rsqrt, 0, 0, 2},
  };
  for (const Function &f : functions) {
    const auto got = apply(f.op, x);
    for (size_t i = 0; i < x.size(); ++i) {
      const float exact = static_cast<float>(f.exact(x[i]));
      if (std::isnan(exact))
        EXPECT_TRUE(std::isnan(got[i])) << f.op << " of " << x[i];
      else if (std::isinf(exact) || exact == 0)
        EXPECT_EQ(got[i], exact) << f.op << " of " << x[i];
      else
        EXPECT_LE(std::abs(got[i] - f.exact(x[i])) / ulp(exact), f.ulps) << f.op << " of " << x[i];
    }
  }
}

TEST_P(Math, VectorFunctionsCallNoLibm) {
  for (const char *op : {"exp", "log", "tanh", "erf", "sigmoid", "expm1", "log1p", "rsqrt"})
    apply(op, sample(100, 0.5f, 2));
  EXPECT_THAT(imports, testing::IsEmpty());
}

TEST_P(Math, DoublesAgreeWithLibm) {
  std::vector<double> x;
  for (float v : sample(37, 0.1f, 3))
    x.push_back(v);
  Kernel kernel(R"((%a = %0 : tensor<37xf64>) -> (tensor<37xf64>) {
    %e = raf.exp %a : tensor<37xf64>
    %l = raf.log %e : tensor<37xf64>
    %t = raf.tanh %l : tensor<37xf64>
    gen.yield %t : tensor<37xf64>
  })",
                GetParam());
  const auto got = kernel.run1<double>({bytesOf(x)});
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(got[i], std::tanh(std::log(std::exp(x[i]))));
}

INSTANTIATE_TEST_SUITE_P(, Math, testing::ValuesIn(runnableCpus()),
                         [](const auto &info) { return info.param; });

} // namespace
