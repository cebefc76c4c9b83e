#include "runtime/executable/Executable.h"

#include "Code.h"
#include "TestExecutable.h"

#include "common/Error.h"
#include "runtime/executable/Extent.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

using namespace raf;
using namespace raf::test;
using testing::HasSubstr;

namespace {

/// Bytes that start at a 64-byte boundary, as `open` asks.
class Aligned {
public:
  explicit Aligned(std::span<const std::byte> bytes)
      : storage(bytes.size() + 64), size(bytes.size()) {
    void *at = storage.data();
    size_t space = storage.size();
    start = static_cast<std::byte *>(std::align(64, size, at, space));
    if (size > 0)
      std::memcpy(start, bytes.data(), size);
  }
  std::span<std::byte> bytes() { return {start, size}; }

private:
  std::vector<std::byte> storage;
  size_t size;
  std::byte *start;
};

/// What `open` says about the bytes; empty when it accepts them.
std::string complaint(std::span<const std::byte> bytes) {
  Aligned aligned(bytes);
  try {
    executable::open(aligned.bytes(), "x.rafx");
  } catch (const InvalidFileError &error) {
    return error.what();
  }
  return "";
}

/// One of everything: constants, state, two functions, generated code, a library call.
TestExecutable example() {
  TestExecutable file;
  const uint32_t twice = file.code(doubleCode()), exp = file.code(expCode(), {{"exp", expSlot()}});
  const Operand x = file.input(DType::F32, {2, 3}), c = file.constant({1, 2, 3}),
                s = file.state(DType::F32, {3}), t = file.state(DType::F64, {}),
                y = file.arena(DType::F32, {2, 3}), z = file.arena(DType::F32, {2, 2});
  file.kernel(twice, {1}, 6, {x, y}, 1);
  file.kernel(twice, {1}, 3, {c, s}, 1);
  file.kernel(exp, {}, 1, {t, t}, 1);
  file.library("onednn.matmul", {0, 0}, {y, x.transposed(), z}, 1);
  file.output(z);
  file.output(s);
  return file;
}

std::string complaintAfter(const std::function<void(fb::ExecutableT &)> &change) {
  TestExecutable file = example();
  change(file.file);
  return complaint(file.seal());
}

fb::CommandT &command(fb::ExecutableT &file, size_t index) {
  return *file.functions[0]->commands[index];
}
fb::OperandT &operand(fb::ExecutableT &file, size_t of, size_t index) {
  return *command(file, of).operands[index];
}

void setOffset(std::unique_ptr<fb::Ref> &ref, uint64_t offset) {
  *ref = fb::Ref(offset, ref->index(), ref->space());
}
void setIndex(std::unique_ptr<fb::Ref> &ref, uint32_t index) {
  *ref = fb::Ref(ref->offset(), index, ref->space());
}
void setSpace(std::unique_ptr<fb::Ref> &ref, fb::Space space) {
  *ref = fb::Ref(ref->offset(), ref->index(), space);
}

} // namespace

TEST(Executable, AcceptsASoundFile) {
  EXPECT_EQ(complaint(example().seal()), "");
  EXPECT_EQ(complaint(TestExecutable().seal()), "");
}

// Every cut of a file is refused.
TEST(Executable, RefusesTruncation) {
  const std::vector<std::byte> bytes = example().seal();
  for (size_t size = 0; size < bytes.size(); ++size)
    ASSERT_NE(complaint(std::span(bytes).first(size)), "") << size;
  std::vector<std::byte> longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_THAT(complaint(longer), HasSubstr("bytes after the header, but got"));
}

// Every flipped bit of a file is found.
TEST(Executable, RefusesFlippedBits) {
  std::vector<std::byte> bytes = example().seal();
  for (size_t bit = 0; bit < bytes.size() * 8; bit += 7) {
    const std::byte mask{static_cast<unsigned char>(1 << bit % 8)};
    bytes[bit / 8] ^= mask;
    ASSERT_NE(complaint(bytes), "") << bit;
    bytes[bit / 8] ^= mask;
  }
}

// Damage under a right checksum neither crashes nor passes as something that reads out of bounds:
// what is accepted can be loaded or is refused by a kernel.
TEST(Executable, SurvivesDamageUnderARightChecksum) {
  const std::vector<std::byte> bytes = example().seal();
  std::mt19937 random(1);
  int accepted = 0;
  for (int i = 0; i < 4000; ++i) {
    std::vector<std::byte> payload(bytes.begin() + executable::kHeaderBytes, bytes.end());
    for (int flips = 1 + i % 3; flips > 0; --flips)
      payload[random() % payload.size()] = static_cast<std::byte>(random());
    const std::vector<std::byte> sealed = executable::seal(payload);
    if (!complaint(sealed).empty())
      continue;
    ++accepted;
    try {
      runtime::Session::load(sealed, {.threads = 1});
    } catch (const Error &) {
    }
  }
  EXPECT_GT(accepted, 0);
}

TEST(Executable, SaysWhichVersionItReads) {
  std::vector<std::byte> bytes = example().seal();
  bytes[8] = std::byte{7};
  EXPECT_EQ(complaint(bytes), "x.rafx: executable has format version 7, but this runtime reads "
                              "version 1; compile the model again");
  bytes[0] = std::byte{'P'};
  EXPECT_EQ(complaint(bytes), "x.rafx: not a raf executable: the first 8 bytes are not its magic");
}

// References must lie inside their space, also where an offset or a stride would wrap around;
// numbers must name something that exists.
TEST(Executable, RefusesMalformedContent) {
  const std::pair<const char *, std::function<void(fb::ExecutableT &)>> cases[] = {
      {"operand 1: bytes [18446744073709551612 + 0, 18446744073709551612 + 24) lie outside",
       [](auto &f) { setOffset(operand(f, 0, 1).ref, UINT64_MAX - 3); }},
      {"x.rafx: executable is malformed: function \"main\", command 0: operand 1: bytes [80 + 0, "
       "80 + "
       "24) lie outside of space Arena of 80 bytes",
       [](auto &f) { setOffset(operand(f, 0, 1).ref, 80); }},
      {"operand 0: input 1 does not exist: the function has 1",
       [](auto &f) { setIndex(operand(f, 0, 0).ref, 1); }},
      {"operand 1: unknown space 9",
       [](auto &f) { setSpace(operand(f, 0, 1).ref, static_cast<fb::Space>(9)); }},
      {"operand 1: a result cannot lie in space Constant",
       [](auto &f) { *operand(f, 1, 1).ref = *operand(f, 1, 0).ref; }},
      {"operand 1: unknown dtype 77", [](auto &f) { operand(f, 0, 1).dtype = 77; }},
      {"operand 1: offset 2 is not a multiple of the element size 4",
       [](auto &f) { setOffset(operand(f, 0, 1).ref, 2); }},
      {"operand 1: shape [2, -3] with strides [3, 1] overflows or does not fit",
       [](auto &f) { operand(f, 0, 1).shape = {2, -3}; }},
      {"operand 0: shape [4611686018427387904, 3] with strides [3, 1] overflows",
       [](auto &f) { operand(f, 0, 0).shape = {int64_t{1} << 62, 3}; }},
      {"operand 0: bytes [0 + -12, 0 + 12) lie outside of space Input",
       [](auto &f) { operand(f, 0, 0).strides = {-3, 1}; }},
      {"operand 1: a result with shape [2, 3] and strides [0, 1] overlaps itself",
       [](auto &f) { operand(f, 0, 1).strides = {0, 1}; }},
      {"operand 0: expected as many strides as extents and at most 16, but got 1 and 2",
       [](auto &f) { operand(f, 0, 0).strides = {1}; }},
      {"operand 0: expected as many strides as extents and at most 16, but got 17 and 17",
       [](auto &f) {
         operand(f, 0, 0).shape.assign(17, 1), operand(f, 0, 0).strides.assign(17, 1);
       }},
      {"command 0: it has 3 results, but 2 operands",
       [](auto &f) { command(f, 0).num_results = 3; }},
      {"command 0: kernel 5 does not exist: the file has 2",
       [](auto &f) { command(f, 0).call.AsKernelCall()->kernel = 5; }},
      {"command 0: expected work >= 0 and grain >= 1, but got -1 and 1",
       [](auto &f) { command(f, 0).call.AsKernelCall()->work = -1; }},
      {"command 0: expected work >= 0 and grain >= 1, but got 6 and 0",
       [](auto &f) { command(f, 0).call.AsKernelCall()->grain = 0; }},
      {"kernel \"k0\": expected an entry below", [](auto &f) { f.kernels[0]->entry = 1 << 20; }},
      {"kernel \"k0\": expected an entry below 0, but got 0",
       [](auto &f) { f.kernels[0]->code = {}; }},
      {"kernel \"k1\": import slot 12 of \"exp\" is not an aligned place",
       [](auto &f) { f.kernels[1]->imports[0]->slot = 12; }},
      {"kernel \"k1\": import slot 18446744073709551608 of \"exp\" is not an aligned place",
       [](auto &f) { f.kernels[1]->imports[0]->slot = UINT64_MAX - 7; }},
      {"state \"state1\": it overlaps \"state0\"",
       [](auto &f) { setOffset(f.state[1]->tensor->ref, 8); }},
      {"state \"state0\": the name is used twice",
       [](auto &f) { f.state[1]->tensor->name = "state0"; }},
      {"state \"state0\": expected a place in the state, but got space 0",
       [](auto &f) { setSpace(f.state[0]->tensor->ref, fb::Space::Arena); }},
      {"state \"state0\": bytes [0 + 0, 0 + 12) lie outside of space State of 4 bytes",
       [](auto &f) { f.state_bytes = 4; }},
      {"input 0: expected the place (Input, 0, 0)",
       [](auto &f) { setOffset(f.functions[0]->inputs[0]->ref, 4); }},
      {"input 0: unknown dtype 0 or bad shape [-1]",
       [](auto &f) { f.functions[0]->inputs[0]->shape = {-1}; }},
      {"output 0: bytes [64 + 0, 64 + 1024) lie outside of space Arena",
       [](auto &f) { f.functions[0]->outputs[0]->shape = {256}; }},
      {"two functions are named \"main\"",
       [](auto &f) {
         f.functions.push_back(std::make_unique<fb::FunctionT>());
         f.functions[1]->name = "main";
       }},
  };
  for (const auto &[message, change] : cases)
    EXPECT_THAT(complaintAfter(change), HasSubstr(message));
}

// Extents, strides and element sizes never overflow on the way to a byte range.
TEST(Extent, TouchedBytes) {
  using executable::touchedBytes;
  auto range = [](std::vector<int64_t> shape, std::vector<int64_t> strides) {
    const auto r = touchedBytes(shape, strides, DType::F32);
    return r ? std::pair(r->low, r->high) : std::pair<int64_t, int64_t>(-1, -1);
  };
  using Pair = std::pair<int64_t, int64_t>;
  const Pair none(-1, -1);
  EXPECT_EQ(range({}, {}), Pair(0, 4));
  EXPECT_EQ(range({2, 3}, {3, 1}), Pair(0, 24));
  EXPECT_EQ(range({2, 3}, {-3, 1}), Pair(-12, 12));
  EXPECT_EQ(range({5, 7}, {0, 0}), Pair(0, 4));
  EXPECT_EQ(range({0, INT64_MAX}, {1, INT64_MAX}), Pair(0, 0));
  EXPECT_EQ(range({INT64_MAX, 2}, {0, 0}), none);
  EXPECT_EQ(range({3}, {INT64_MAX}), none);
  EXPECT_EQ(range({2, 2}, {INT64_MAX / 2, INT64_MAX}), none);
  EXPECT_EQ(range({0, -1}, {1, 1}), none);
  EXPECT_EQ(range({2}, {1, 1}), none);
}

TEST(Extent, Injective) {
  using executable::isInjective;
  auto injective = [](std::vector<int64_t> shape, std::vector<int64_t> strides) {
    return isInjective(shape, strides);
  };
  EXPECT_TRUE(injective({2, 3}, {3, 1}));
  EXPECT_TRUE(injective({3, 2}, {1, 3}));
  EXPECT_TRUE(injective({2, 1}, {1, 0}));
  EXPECT_TRUE(injective({0, 5}, {0, 0}));
  EXPECT_TRUE(injective({2, 3}, {-3, 1}));
  EXPECT_FALSE(injective({2}, {0}));
  EXPECT_FALSE(injective({2, 3}, {2, 1}));
  EXPECT_FALSE(injective({2, 2}, {INT64_MIN, INT64_MIN}));
}
