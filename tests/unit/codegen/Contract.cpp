// What others rely on: bits do not depend on grouping or splitting, roles, overwriting, the cache,
// element types and degenerate extents.
#include "common/Error.h"
#include "compiler/pipeline/Registration.h"
#include "tests/unit/codegen/Run.h"

#include "mlir/Parser/Parser.h"

#include <bit>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

using namespace raf;
using namespace raf::test;

namespace {

class Contract : public testing::TestWithParam<std::string> {};

uint16_t toBf16(float f) {
  const auto bits = std::bit_cast<uint32_t>(f);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
float fromBf16(uint16_t h) { return std::bit_cast<float>(uint32_t{h} << 16); }

TEST_P(Contract, FusedAndSeparateKernelsGiveEqualBits) {
  const int rows = 6, columns = 133;
  const std::string type = "tensor<6x133xf32>", row = "tensor<6xf32>";
  auto single = [&](const std::string &body, const std::string &in, const std::string &out) {
    return Kernel(
        fmt::format("(%x = %0 : {}) -> ({}) {{ {} gen.yield %r : {} }}", in, out, body, out),
        GetParam());
  };
  const auto x = sample(rows * columns, -5, 5);
  const auto e = single("%r = raf.exp %x : " + type, type, type).run({bytesOf(x)});
  const auto s =
      single("%r = raf.reduce_sum %x dims [1] : " + type + " -> " + row, type, row).run(e);
  const auto l = single("%r = raf.log %x : " + row, row, row).run(s);
  Kernel fused(fmt::format(R"((%x = %0 : {0}) -> ({1}, {0}) {{
    %e = raf.exp %x : {0}
    %s = raf.reduce_sum %e dims [1] : {0} -> {1}
    %l = raf.log %s : {1}
    gen.yield %l, %e : {1}, {0}
  }})",
                           type, row),
               GetParam());
  for (int splits : {1, 4}) {
    const auto both = fused.run({bytesOf(x)}, splits);
    EXPECT_EQ(both[0], l[0]);
    EXPECT_EQ(both[1], e[0]);
  }
}

TEST_P(Contract, Bf16IsComputedInF32AndRoundedAfterEachOp) {
  const auto a = sample(37), b = sample(37, -2, 2, 4);
  std::vector<uint16_t> ha, hb, want;
  for (int i = 0; i < 37; ++i) {
    ha.push_back(toBf16(a[i]));
    hb.push_back(toBf16(b[i]));
    const float sum = fromBf16(toBf16(fromBf16(ha[i]) + fromBf16(hb[i])));
    want.push_back(toBf16(sum * fromBf16(ha[i])));
  }
  Kernel kernel(R"((%a = %0 : tensor<37xbf16>, %b = %1 : tensor<37xbf16>) -> (tensor<37xbf16>) {
    %s = raf.add %a, %b : tensor<37xbf16>
    %r = raf.mul %s, %a : tensor<37xbf16>
    gen.yield %r : tensor<37xbf16>
  })",
                GetParam());
  EXPECT_EQ(kernel.run1<uint16_t>({bytesOf(ha), bytesOf(hb)}), want);
}

TEST_P(Contract, CastsGoThroughEveryElementType) {
  const std::vector<float> x = {0, 1, -1.5f, 2.5f, 100, -100, 0.25f, 3, 7, 9, 11};
  for (auto [type, isFloat] : std::vector<std::pair<std::string, bool>>{{"f64", true},
                                                                        {"bf16", true},
                                                                        {"f16", true},
                                                                        {"i8", false},
                                                                        {"i16", false},
                                                                        {"i32", false},
                                                                        {"i64", false}}) {
    Kernel kernel(fmt::format(R"((%a = %0 : tensor<11xf32>) -> (tensor<11x{0}>, tensor<11xf32>) {{
      %c = raf.cast %a : tensor<11xf32> -> tensor<11x{0}>
      %r = raf.cast %c : tensor<11x{0}> -> tensor<11xf32>
      gen.yield %c, %r : tensor<11x{0}>, tensor<11xf32>
    }})",
                              type),
                  GetParam());
    const auto got = valuesOf<float>(kernel.run({bytesOf(x)})[1]);
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(got[i], isFloat ? x[i] : std::trunc(x[i])) << type;
  }
  Kernel logic(
      R"((%a = %0 : tensor<11xf32>, %u = %1 : tensor<11xui8>) -> (tensor<11xi1>, tensor<11xf32>, tensor<11xi64>) {
    %t = raf.cast %a : tensor<11xf32> -> tensor<11xi1>
    %f = raf.cast %t : tensor<11xi1> -> tensor<11xf32>
    %w = raf.cast %u : tensor<11xui8> -> tensor<11xi64>
    gen.yield %t, %f, %w : tensor<11xi1>, tensor<11xf32>, tensor<11xi64>
  })",
      GetParam());
  const std::vector<uint8_t> u = {0, 255, 128, 1, 2, 3, 4, 5, 6, 7, 8};
  const auto got = logic.run({bytesOf(x), bytesOf(u)});
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(valuesOf<uint8_t>(got[0])[i], x[i] != 0);
    EXPECT_EQ(valuesOf<float>(got[1])[i], x[i] != 0 ? 1 : 0);
    EXPECT_EQ(valuesOf<int64_t>(got[2])[i], u[i]);
  }
}

TEST_P(Contract, ReductionsOfNothingAndOfNaN) {
  Kernel empty(R"((%x = %0 : tensor<3x0xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %s = raf.reduce_sum %x dims [1] : tensor<3x0xf32> -> tensor<3xf32>
    %p = raf.reduce_prod %x dims [1] : tensor<3x0xf32> -> tensor<3xf32>
    %m = raf.reduce_max %x dims [1] : tensor<3x0xf32> -> tensor<3xf32>
    gen.yield %s, %p, %m : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  })",
               GetParam());
  const auto got = empty.run({Bytes{}});
  EXPECT_THAT(valuesOf<float>(got[0]), testing::Each(0.0f));
  EXPECT_THAT(valuesOf<float>(got[1]), testing::Each(1.0f));
  EXPECT_THAT(valuesOf<float>(got[2]), testing::Each(-INFINITY));
  std::vector<float> x(70, 1);
  x[33] = NAN;
  Kernel most(R"((%x = %0 : tensor<2x35xf32>) -> (tensor<2xf32>) {
    %m = raf.reduce_max %x dims [1] : tensor<2x35xf32> -> tensor<2xf32>
    gen.yield %m : tensor<2xf32>
  })",
              GetParam());
  const auto m = most.run1<float>({bytesOf(x)});
  EXPECT_TRUE(std::isnan(m[0]));
  EXPECT_EQ(m[1], 1);
}

TEST_P(Contract, ReductionsOverAnyDimensionsAndStrides) {
  // (2, 5, 9, 4) reduced over dims 0 and 2, read through transposed strides.
  const int64_t strides[] = {1, 72, 8, 2}; // of 2 * 5 * 9 * 4 elements in order (1, 2, 3, 0)
  Kernel kernel(
      R"((%x = %0 : tensor<2x5x9x4xf32>) -> (tensor<5x4xf32>) {
    %s = raf.reduce_sum %x dims [0, 2] : tensor<2x5x9x4xf32> -> tensor<5x4xf32>
    gen.yield %s : tensor<5x4xf32>
  })",
      GetParam(), {{strides[0], strides[1], strides[2], strides[3]}});
  const auto x = sample(360);
  const auto got = kernel.run1<float>({bytesOf(x)}, 3);
  for (int b = 0; b < 5; ++b)
    for (int d = 0; d < 4; ++d) {
      double sum = 0;
      for (int a = 0; a < 2; ++a)
        for (int c = 0; c < 9; ++c)
          sum += x[a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3]];
      EXPECT_NEAR(got[b * 4 + d], sum, 1e-5);
    }
}

TEST_P(Contract, TransposesReshapesAndTheirSumsAreReadInPlace) {
  Kernel kernel(
      R"((%x = %0 : tensor<6x10xf32>, %y = %1 : tensor<5x2x3x2xf32>) -> (tensor<10x6xf32>) {
    %t = raf.transpose %x {permutation = array<i64: 1, 0>} : (tensor<6x10xf32>) -> tensor<10x6xf32>
    %v = raf.reshape %y : tensor<5x2x3x2xf32> -> tensor<10x6xf32>
    %s = raf.add %t, %v : tensor<10x6xf32>
    gen.yield %s : tensor<10x6xf32>
  })",
      GetParam());
  const auto x = sample(60), y = sample(60, 0, 1, 2);
  const auto got = kernel.run1<float>({bytesOf(x), bytesOf(y)});
  for (int i = 0; i < 60; ++i)
    EXPECT_EQ(got[i], x[i % 6 * 10 + i / 6] + y[i]);
  // The same input at two places of one iteration.
  Kernel twice(R"((%x = %0 : tensor<7x7xf32>) -> (tensor<7x7xf32>) {
    %t = raf.transpose %x {permutation = array<i64: 1, 0>} : (tensor<7x7xf32>) -> tensor<7x7xf32>
    %s = raf.add %t, %x : tensor<7x7xf32>
    gen.yield %s : tensor<7x7xf32>
  })",
               GetParam());
  const auto z = sample(49);
  const auto both = twice.run1<float>({bytesOf(z)});
  for (int i = 0; i < 49; ++i)
    EXPECT_EQ(both[i], z[i % 7 * 7 + i / 7] + z[i]);
}

TEST_P(Contract, SmallResultsAreStoredOnceAndWorkStaysParallel) {
  Kernel kernel(
      R"((%x = %0 : tensor<40x1000xf32>, %y = %1 : tensor<40xf32>, %s = %2 : tensor<f32>) -> (tensor<40x1000xf32>, tensor<40xf32>, tensor<f32>) {
    %one = raf.constant dense<1.0> : tensor<f32>
    %t = raf.add %s, %one : tensor<f32>
    %tb = raf.broadcast %t dims [] : tensor<f32> -> tensor<40xf32>
    %z = raf.mul %y, %tb : tensor<40xf32>
    %zb = raf.broadcast %z dims [0] : tensor<40xf32> -> tensor<40x1000xf32>
    %r = raf.add %x, %zb : tensor<40x1000xf32>
    gen.yield %r, %z, %t : tensor<40x1000xf32>, tensor<40xf32>, tensor<f32>
  })",
      GetParam());
  EXPECT_GE(kernel.code.work, 40);
  EXPECT_FALSE(kernel.op().mayOverwrite(1, 1)); // others read y after the first has stored z
  const auto x = sample(40000), y = sample(40, 1, 2, 3);
  const auto got = kernel.run({bytesOf(x), bytesOf(y), bytesOf(std::vector<float>{2})}, 7);
  EXPECT_EQ(valuesOf<float>(got[2])[0], 3);
  for (int i = 0; i < 40000; ++i) {
    ASSERT_EQ(valuesOf<float>(got[1])[i / 1000], y[i / 1000] * 3);
    if (i % 997 == 0)
      ASSERT_EQ(valuesOf<float>(got[0])[i], x[i] + y[i / 1000] * 3);
  }
}

TEST(Overwriting, OnlyWhatNoLaterSweepReads) {
  const char *softmaxLike =
      R"((%x = %0 : tensor<4x9xf32>, %y = %1 : tensor<4x9xf32>) -> (tensor<4x9xf32>, tensor<4x9xf32>) {
    %d = raf.add %x, %y : tensor<4x9xf32>
    %s = raf.reduce_sum %y dims [1] : tensor<4x9xf32> -> tensor<4xf32>
    %b = raf.broadcast %s dims [0] : tensor<4xf32> -> tensor<4x9xf32>
    %r = raf.mul %y, %b : tensor<4x9xf32>
    gen.yield %d, %r : tensor<4x9xf32>, tensor<4x9xf32>
  })";
  Kernel kernel(softmaxLike);
  EXPECT_TRUE(kernel.op().mayOverwrite(0, 0));
  EXPECT_TRUE(kernel.op().mayOverwrite(1, 1));
  EXPECT_FALSE(kernel.op().mayOverwrite(1, 0)); // y is read again in the second sweep
  Kernel transposed(R"((%x = %0 : tensor<7x7xf32>) -> (tensor<7x7xf32>) {
    %t = raf.transpose %x {permutation = array<i64: 1, 0>} : (tensor<7x7xf32>) -> tensor<7x7xf32>
    gen.yield %t : tensor<7x7xf32>
  })");
  EXPECT_FALSE(transposed.op().mayOverwrite(0, 0));
}

TEST(Roles, EveryOpOfTheDialectHasOne) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadDialect<RafDialect>();
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == "raf")
      EXPECT_TRUE(name.hasInterface<LoopNestOpInterface>()) << name.getStringRef().str();
}

TEST(Checking, AnOpThatReadsAViewFromOutsideIsNoPartOfTheAnchorsKernel) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"(func.func @f(%q: tensor<2x4x16x8xf32>) -> tensor<32x32xf32> {
    %r, %l = raf.attention %q, %q, %q {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, scale = 1.0 : f64} : (tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>) -> (tensor<2x4x16x8xf32>, tensor<2x4x16xf32>)
    %t = raf.transpose %r {permutation = array<i64: 0, 2, 1, 3>} : (tensor<2x4x16x8xf32>) -> tensor<2x16x4x8xf32>
    %s = raf.reshape %t : tensor<2x16x4x8xf32> -> tensor<32x32xf32>
    return %s : tensor<32x32xf32>
  })",
      &context);
  ASSERT_TRUE(module);
  llvm::SmallVector<mlir::Operation *> ops;
  module->walk([&](mlir::Operation *op) {
    if (llvm::isa<AttentionOp, TransposeOp, ReshapeOp>(op))
      ops.push_back(op);
  });
  std::string why;
  EXPECT_TRUE(gen::checkGroup(ops, {ops[2]->getResult(0)}, &why)) << why;
  EXPECT_FALSE(gen::checkGroup({ops[0], ops[2]}, {ops[2]->getResult(0)}, &why));
  EXPECT_THAT(why, testing::HasSubstr("an output of the kernel comes from elsewhere"));
}

TEST(Targets, NamesAreThoseOfTheCommandLine) {
  EXPECT_EQ(gen::parseTarget("avx2").vectorBytes, 32);
  EXPECT_EQ(gen::parseTarget("avx512").vectorBytes, 64);
  EXPECT_THROW(gen::parseTarget("znver9"), UsageError);
}

TEST(Cache, CodeComesBackFromDiskAndCorruptFilesAreCompiledAnew) {
  const auto directory = std::filesystem::path(testing::TempDir()) / "raf-codegen-cache";
  std::filesystem::remove_all(directory);
  gen::MachineCode code{{1, 2, 3, 4}, 1, {{"expf", 8}}};
  auto compile = [&]() -> mlir::FailureOr<gen::MachineCode> { return code; };
  auto check = [&](int64_t compiled, int64_t fromDisk) {
    gen::CodeCache cache(directory.string());
    for (int i = 0; i < 2; ++i) {
      auto got = cache.get("key", compile);
      ASSERT_TRUE(mlir::succeeded(got));
      EXPECT_EQ((*got)->code, code.code);
      EXPECT_EQ((*got)->entry, 1u);
      EXPECT_EQ((*got)->imports[0].symbol, "expf");
    }
    EXPECT_EQ(cache.compiled, compiled);
    EXPECT_EQ(cache.fromDisk, fromDisk);
  };
  check(1, 0);
  check(0, 1);
  const auto file = directory / "objects" / "key";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  check(1, 0);
  std::ofstream(file, std::ios::in | std::ios::binary).seekp(20) << 'x';
  check(1, 0);
  check(0, 1);
}

INSTANTIATE_TEST_SUITE_P(, Contract, testing::ValuesIn(runnableCpus()),
                         [](const auto &info) { return info.param; });

} // namespace
