// What the runtime as a library promises: what it links, and what a call costs.
#include "Code.h"
#include "TestExecutable.h"

#include "runtime/device/cpu/CodeImage.h"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <new>

using namespace raf;
using namespace raf::test;

namespace {
std::atomic<int64_t> allocations = 0;
}

void *operator new(size_t size) {
  ++allocations;
  if (void *at = std::malloc(size))
    return at;
  throw std::bad_alloc();
}
void operator delete(void *at) noexcept { std::free(at); }
void operator delete(void *at, size_t) noexcept { std::free(at); }

// The runtime starts in milliseconds because it brings no compiler and no interpreter.
TEST(Library, LinksNoCompilerAndNoPython) {
  std::vector<std::string> loaded;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *to) {
        static_cast<std::vector<std::string> *>(to)->push_back(info->dlpi_name);
        return 0;
      },
      &loaded);
  EXPECT_THAT(loaded, testing::Contains(testing::HasSubstr("libraf_runtime")));
  for (const char *name : {"LLVM", "MLIR", "python", "raf_compiler"})
    EXPECT_THAT(loaded, testing::Not(testing::Contains(testing::HasSubstr(name))));
}

// A call allocates nothing once the session is loaded.
TEST(Library, CallsAllocateNothing) {
  constexpr int64_t kWork = 1000;
  TestExecutable file;
  const uint32_t twice = file.code(doubleCode()), scratch = file.code(scratchCode());
  const Operand x = file.input(DType::F32, {kWork}), y = file.arena(DType::F32, {kWork}),
                values = file.arena(DType::F32, {kWork}), indices = file.arena(DType::I64, {kWork});
  file.kernel(twice, {1}, kWork, {x, y}, 1);
  file.kernel(scratch, {}, kWork, {indices}, 1).call.AsKernelCall()->scratch_bytes = 8;
  file.library("rt.sort", {0, 1}, {y, values, indices}, 2);
  file.output(values);
  const auto session = file.load({.threads = 2});
  std::vector<float> data = randomValues(kWork, 1);
  const runtime::TensorView inputs[] = {view(data, DType::F32, {kWork})};
  session->run("main", inputs); // starts the threads
  session->startProfile();
  const int64_t before = allocations;
  session->run("main", inputs);
  EXPECT_EQ(allocations, before);
}

// Generated code may call libm and a few more, and nothing else.
TEST(Library, Imports) {
  using runtime::importedSymbol;
  const auto exp = reinterpret_cast<double (*)(double)>(const_cast<void *>(importedSymbol("exp")));
  const auto powf =
      reinterpret_cast<float (*)(float, float)>(const_cast<void *>(importedSymbol("powf")));
  ASSERT_TRUE(exp && powf);
  EXPECT_EQ(exp(1), std::exp(1.0));
  EXPECT_EQ(powf(2, 10), 1024);
  for (const char *name : {"system", "malloc", "", "expm", "printf"})
    EXPECT_EQ(importedSymbol(name), nullptr) << name;
}
