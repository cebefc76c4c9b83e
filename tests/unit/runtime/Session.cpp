#include "runtime/session/Session.h"

#include "Code.h"
#include "TestExecutable.h"

#include "common/AtomicFile.h"
#include "common/Error.h"
#include "runtime/memory/Arena.h"

#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace raf;
using namespace raf::test;
using runtime::Session;
using runtime::TensorView;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

template <class E, class Fn> std::string messageOf(Fn &&fn) {
  try {
    fn();
  } catch (const E &error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::span<const float> floats(const TensorView &view) {
  return {static_cast<const float *>(view.data), static_cast<size_t>(view.numElements())};
}

/// state += a b, output = the state.
TestExecutable accumulating() {
  TestExecutable file;
  const Operand a = file.input(DType::F32, {1, 2}), b = file.input(DType::F32, {2, 2}),
                state = file.state(DType::F32, {1, 2});
  file.library("onednn.matmul", {0, 1}, {a, b, state, state}, 1);
  file.output(state);
  return file;
}

struct Inputs {
  std::vector<float> a{1, 2}, b{1, 2, 3, 4}; // a b = (7, 10)
  std::vector<TensorView> views{view(a, DType::F32, {1, 2}), view(b, DType::F32, {2, 2})};
};

} // namespace

// A signature says names, dtypes and shapes; outputs and state point into the session's memory.
TEST(Session, SaysItsSignature) {
  TestExecutable file = accumulating();
  file.file.metadata = "{\"model\":\"test\"}";
  file.function().flops = 12;
  file.begin("evaluate");
  const auto session = file.load({.threads = 2});
  EXPECT_THAT(session->functions(), ElementsAre("main", "evaluate"));
  EXPECT_TRUE(session->hasFunction("evaluate"));
  EXPECT_FALSE(session->hasFunction("train"));
  ASSERT_EQ(session->inputs("main").size(), 2u);
  EXPECT_EQ(session->inputs("main")[1].name, "input1");
  EXPECT_THAT(session->inputs("main")[1].view.shape, ElementsAre(2, 2));
  EXPECT_EQ(session->inputs("main")[1].view.data, nullptr);
  ASSERT_EQ(session->state().size(), 1u);
  EXPECT_EQ(session->state()[0].init, "zeros");
  EXPECT_EQ(session->outputs("main")[0].view.data, session->state()[0].view.data);
  EXPECT_EQ(session->metadata(), "{\"model\":\"test\"}");
  EXPECT_EQ(session->flops("main"), 12);
  EXPECT_EQ(session->threads(), 2);
  EXPECT_EQ(messageOf<UsageError>([&] { session->inputs("train"); }),
            "expected one of the executable's functions main, evaluate, but got \"train\"");
}

// State starts as zeros and stays between calls; new inputs are taken at each call.
TEST(Session, KeepsStateBetweenCalls) {
  const auto session = accumulating().load({.threads = 1});
  Inputs first, second;
  session->run("main", first.views);
  EXPECT_THAT(floats(session->outputs("main")[0].view), ElementsAre(7, 10));
  second.a = {1, 0};
  second.views[0].data = second.a.data();
  session->run("main", second.views);
  EXPECT_THAT(floats(session->outputs("main")[0].view), ElementsAre(8, 12));
}

// Inputs that are not what the signature says are refused by name before anything runs.
TEST(Session, ChecksInputs) {
  const auto session = accumulating().load({.threads = 1});
  Inputs in;
  auto refused = [&](auto change) {
    std::vector<TensorView> views = in.views;
    change(views);
    return messageOf<ShapeError>([&] { session->run("main", views); });
  };
  EXPECT_EQ(refused([](auto &v) { v.pop_back(); }),
            "function \"main\": expected 2 inputs, but got 1");
  EXPECT_EQ(refused([](auto &v) { v[1].dtype = DType::I32; }),
            "input \"input1\": expected f32, but got i32");
  EXPECT_EQ(refused([](auto &v) { v[1].shape = {4}; }),
            "input \"input1\": expected shape [2, 2], but got [4]");
  EXPECT_EQ(
      refused([](auto &v) { v[1].strides = {1, 2}; }),
      "input \"input1\": expected contiguous elements, but got strides [1, 2] for shape [2, 2]");
  EXPECT_EQ(refused([](auto &v) { v[1].data = nullptr; }),
            "input \"input1\": expected data, but got a null pointer");
  EXPECT_THAT(refused([](auto &v) { v[1].data = static_cast<char *>(v[1].data) + 1; }),
              HasSubstr("expected an address that is a multiple of 4"));
  EXPECT_THAT(floats(session->state()[0].view), ElementsAre(0, 0));
  // Strides of a dimension with one element say nothing.
  in.views[0].strides = {17, 1};
  session->run("main", in.views);
  EXPECT_THAT(floats(session->state()[0].view), ElementsAre(7, 10));
}

// Generated code gets operands, parameters, its part of the work and scratch of its own thread.
TEST(Session, RunsGeneratedCode) {
  constexpr int64_t kWork = 1013;
  TestExecutable file;
  const uint32_t twice = file.code(doubleCode()), scratch = file.code(scratchCode()),
                 exp = file.code(expCode(), {{"exp", expSlot()}});
  const Operand x = file.input(DType::F32, {kWork}), y = file.arena(DType::F32, {kWork}),
                z = file.arena(DType::F32, {kWork}), indices = file.arena(DType::I64, {kWork}),
                one = file.input(DType::F64, {}), e = file.arena(DType::F64, {});
  file.kernel(twice, {1}, kWork, {x, y}, 1);
  file.kernel(twice, {-3}, kWork, {y, z}, 1);
  file.kernel(scratch, {}, kWork, {indices}, 1).call.AsKernelCall()->scratch_bytes = 8;
  file.kernel(exp, {}, 1, {one, e}, 1);
  for (const Operand &operand : {z, indices, e})
    file.output(operand);
  std::vector<float> values = randomValues(kWork, 1);
  std::vector<double> unit{1};
  const TensorView inputs[] = {view(values, DType::F32, {kWork}), view(unit, DType::F64, {})};
  for (int threads : {1, 2, 3}) {
    const auto session = file.load({.threads = threads});
    session->run("main", inputs);
    const auto &outputs = session->outputs("main");
    const std::span<const float> got = floats(outputs[0].view);
    const auto *index = static_cast<const int64_t *>(outputs[1].view.data);
    for (int64_t i = 0; i < kWork; ++i) {
      ASSERT_EQ(got[i], 2 * (2 * values[i] + 1) - 3);
      ASSERT_EQ(index[i], i);
    }
    EXPECT_EQ(*static_cast<const double *>(outputs[2].view.data), std::exp(1.0));
  }
}

// No work is no call: a kernel over zero items may have no memory at all.
TEST(Session, ZeroSizes) {
  TestExecutable file;
  const uint32_t twice = file.code(doubleCode());
  const Operand x = file.input(DType::F32, {0, 3}), y = file.arena(DType::F32, {0, 3});
  file.kernel(twice, {1}, 0, {x, y}, 1);
  file.output(y);
  file.output(x);
  const auto session = file.load();
  const TensorView inputs[] = {{nullptr, DType::F32, {0, 3}, {}}};
  session->run("main", inputs);
  EXPECT_THAT(session->outputs("main")[0].view.shape, ElementsAre(0, 3));
  EXPECT_EQ(session->memory().plannedPeakBytes(), 0u);
}

// Constants are read from the file; an output may be an input, which then is the caller's memory.
TEST(Session, ConstantsAndInputsAsOutputs) {
  TestExecutable file;
  const uint32_t twice = file.code(doubleCode());
  const Operand c = file.constant({1, 2, 3}), x = file.input(DType::F32, {3}),
                y = file.arena(DType::F32, {3});
  file.kernel(twice, {0}, 3, {c, y}, 1);
  file.output(y);
  file.output(x);
  const auto session = file.load();
  EXPECT_EQ(session->memory().constantBytes, 12u);
  std::vector<float> values{5, 6, 7};
  const TensorView inputs[] = {view(values, DType::F32, {3})};
  session->run("main", inputs);
  EXPECT_THAT(floats(session->outputs("main")[0].view), ElementsAre(2, 4, 6));
  EXPECT_EQ(session->outputs("main")[1].view.data, values.data());
}

// The memory a session says it uses is what it takes, and all of it is taken when it is loaded.
TEST(Session, MemoryIsWhatIsTaken) {
  TestExecutable file;
  const uint32_t scratch = file.code(scratchCode());
  const Operand x = file.input(DType::F32, {9, 40}), values = file.arena(DType::F32, {9, 40}),
                indices = file.arena(DType::I64, {9, 40});
  file.state(DType::F32, {9, 40});
  file.library("rt.sort", {1, 0}, {x, values, indices}, 2);
  file.kernel(scratch, {}, 40, {indices}, 1).call.AsKernelCall()->scratch_bytes = 100;
  file.begin("larger");
  file.arena(DType::F32, {100000});
  const std::vector<std::byte> bytes = file.seal();
  const size_t before = runtime::Arena::liveBytes();
  const auto session = Session::load(bytes, {.threads = 2});
  const runtime::MemoryStats stats = session->memory();
  EXPECT_EQ(stats.stateBytes, 9u * 40 * 4);
  EXPECT_EQ(stats.arenaBytes, 400000u);
  EXPECT_EQ(stats.workspaceBytes, 2u * 40 * 16); // sort keeps 16 bytes per element and thread
  EXPECT_EQ(runtime::Arena::liveBytes() - before, stats.plannedPeakBytes() + bytes.size());
  std::vector<float> data = randomValues(9 * 40, 1);
  const TensorView inputs[] = {view(data, DType::F32, {9, 40})};
  session->run("main", inputs);
  session->run("larger", {});
  EXPECT_EQ(runtime::Arena::liveBytes() - before, stats.plannedPeakBytes() + bytes.size());
}

// A step that cannot fit is refused with its size when it is loaded, not ended by the system later.
TEST(Session, RefusesMoreThanTheMachineHas) {
  TestExecutable file;
  file.function().arena_bytes = uint64_t{1} << 60;
  try {
    file.load();
    FAIL();
  } catch (const OutOfMemoryError &error) {
    EXPECT_EQ(error.leastBytes, uint64_t{1} << 60);
    EXPECT_THAT(error.what(),
                HasSubstr("it needs 0 for state, 1152921504606846976 for activations"));
  }
}

// Two sessions of one layout train one state; another layout is refused and changes nothing.
TEST(Session, SharesState) {
  const auto first = accumulating().load({.threads = 1}),
             second = accumulating().load({.threads = 2});
  second->shareState(*first);
  EXPECT_EQ(second->state()[0].view.data, first->state()[0].view.data);
  Inputs in;
  first->run("main", in.views);
  second->run("main", in.views);
  EXPECT_THAT(floats(first->outputs("main")[0].view), ElementsAre(14, 20));

  TestExecutable other;
  other.state(DType::F32, {1, 3});
  EXPECT_EQ(
      messageOf<ShapeError>([&] { second->shareState(*other.load()); }),
      "state cannot be shared: \"state0\": expected f32 [1, 2], but the donor has f32 [1, 3]");
  TestExecutable more = accumulating();
  more.state(DType::F32, {1});
  EXPECT_EQ(messageOf<ShapeError>([&] { second->shareState(*more.load()); }),
            "state cannot be shared: expected 1 tensors, but the donor has 2");
  second->run("main", in.views);
  EXPECT_THAT(floats(first->outputs("main")[0].view), ElementsAre(21, 30));
}

// The state outlives the session that brought it.
TEST(Session, SharedStateOutlivesItsDonor) {
  const auto second = accumulating().load();
  {
    const auto first = accumulating().load();
    second->shareState(*first);
    Inputs in;
    first->run("main", in.views);
  }
  EXPECT_THAT(floats(second->state()[0].view), ElementsAre(7, 10));
}

// checkNumerics names the first command with a NaN or infinity, with its place in the user's
// source.
TEST(Session, ChecksNumerics) {
  TestExecutable file;
  const uint32_t twice = file.code(doubleCode());
  const Operand x = file.input(DType::F32, {3}), y = file.arena(DType::F32, {3}),
                z = file.arena(DType::F32, {3});
  fb::CommandT &first = file.kernel(twice, {0}, 3, {x, y}, 1);
  first.label = "gelu";
  first.source = "model.py:12";
  first.module_path = "h.3.mlp";
  file.kernel(twice, {0}, 3, {y, z}, 1);
  const auto session = file.load({.checkNumerics = true});
  std::vector<float> values{1, 3e38f, NAN};
  const TensorView inputs[] = {view(values, DType::F32, {3})};
  EXPECT_EQ(
      messageOf<Error>([&] { session->run("main", inputs); }),
      "model.py:12: command 0 (gelu) of h.3.mlp: result 0 of shape [3] is infinite at element 1");
  values[1] = 1e38f; // infinite only when doubled twice
  EXPECT_THAT(messageOf<Error>([&] { session->run("main", inputs); }),
              HasSubstr("NaN at element 2"));
  values[2] = 0;
  EXPECT_THAT(messageOf<Error>([&] { session->run("main", inputs); }),
              HasSubstr("command 1 (kernel0): result 0 of shape [3] is infinite at element 1"));
  values[1] = 0;
  session->run("main", inputs);
}

// A profile has one entry per command, in order, over the calls between start and stop.
TEST(Session, Profiles) {
  TestExecutable file = accumulating();
  fb::CommandT &command = *file.function().commands[0];
  command.label = "matmul";
  command.dialect = "onednn";
  command.flops = 8;
  command.bytes = 32;
  command.predicted_seconds = 0.5;
  const auto session = file.load({.threads = 1});
  Inputs in;
  session->run("main", in.views);
  session->startProfile();
  session->run("main", in.views);
  session->run("main", in.views);
  const std::vector<runtime::CommandProfile> profile = session->stopProfile("main");
  session->run("main", in.views);
  ASSERT_EQ(profile.size(), 1u);
  EXPECT_EQ(profile[0].label, "matmul");
  EXPECT_EQ(profile[0].dialect, "onednn");
  EXPECT_EQ(profile[0].calls, 2);
  EXPECT_EQ(profile[0].flops, 8);
  EXPECT_EQ(profile[0].bytes, 32);
  EXPECT_EQ(profile[0].predictedSeconds, 0.5);
  EXPECT_GT(profile[0].seconds, 0);
  EXPECT_GE(profile[0].startSeconds, 0);
  session->startProfile();
  EXPECT_EQ(session->stopProfile("main")[0].calls, 0);
}

// A file for another processor, or with an unknown kernel or import, is refused by name.
TEST(Session, RefusesWhatItCannotRun) {
  TestExecutable file;
  file.file.cpu_features = {"avx2", "quantum"};
  EXPECT_THAT(messageOf<UnsupportedError>([&] { file.load(); }),
              HasSubstr("this one lacks quantum"));
  file.file.cpu_features.clear();
  file.library("onednn.teleport", {}, {}, 0);
  EXPECT_EQ(
      messageOf<InvalidFileError>([&] { file.load(); }),
      "executable: function \"main\": command 0 (onednn.teleport): onednn.teleport: expected one "
      "of the library kernels onednn.matmul, rt.sort, rt.topk");
  TestExecutable calls;
  calls.code(expCode(), {{"system", expSlot()}});
  EXPECT_EQ(messageOf<InvalidFileError>([&] { calls.load(); }),
            "executable: kernel \"k0\" calls \"system\", which generated code may not call");
}

// A file on disk runs as the bytes do, and its errors start with its path.
TEST(Session, LoadsFiles) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("raf-session-" + std::to_string(::getpid())))
          .string();
  writeFileAtomically(path, accumulating().seal());
  Inputs in;
  const auto session = Session::loadFile(path);
  session->run("main", in.views);
  EXPECT_THAT(floats(session->outputs("main")[0].view), ElementsAre(7, 10));
  writeFileAtomically(path, std::string_view("text"));
  EXPECT_EQ(messageOf<InvalidFileError>([&] { Session::loadFile(path); }),
            path + ": not a raf executable: expected at least 64 bytes, but got 4");
  std::filesystem::remove(path);
}
