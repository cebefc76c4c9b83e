// Any payload under a right header: loading it ends with a session or with an error.
#include "Seed.h"

#include "common/Error.h"
#include "tests/unit/runtime/Code.h"
#include "tests/unit/runtime/TestExecutable.h"

using namespace raf;
using namespace raf::test;

namespace {

std::vector<std::byte> example() {
  TestExecutable file;
  const uint32_t twice = file.code(doubleCode()), exp = file.code(expCode(), {{"exp", expSlot()}});
  const Operand x = file.input(DType::F32, {2, 3}), c = file.constant({1, 2, 3}),
                s = file.state(DType::F32, {3}), t = file.state(DType::F64, {}),
                y = file.arena(DType::F32, {2, 3}), z = file.arena(DType::F32, {2, 2}),
                indices = file.arena(DType::I64, {2, 2});
  file.kernel(twice, {1}, 6, {x, y}, 1);
  file.kernel(twice, {1}, 3, {c, s}, 1);
  file.kernel(exp, {}, 1, {t, t}, 1);
  file.library("onednn.matmul", {0, 0}, {y, x.transposed(), z}, 1);
  file.library("rt.sort", {1, 0}, {z, z, indices}, 2);
  file.library("rt.topk", {2, 0}, {z, z, indices}, 2);
  file.output(z);
  file.output(s);
  const std::vector<std::byte> sealed = file.seal();
  return {sealed.begin() + executable::kHeaderBytes, sealed.end()};
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned) {
  static const std::vector<std::byte> seed = example();
  return mutateFrom(seed, data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    runtime::Session::load(executable::seal(std::as_bytes(std::span(data, size))), {.threads = 1});
  } catch (const Error &) {
  }
  return 0;
}
