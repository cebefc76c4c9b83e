#include "tests/unit/pipeline/Harness.h"

#include "common/Error.h"

#include <cmath>

using namespace raf;
using namespace raf::test;
using testing::HasSubstr;

namespace {

template <class E> std::string messageOf(const std::function<void()> &call) {
  try {
    call();
  } catch (const E &error) {
    return error.what();
  } catch (const std::exception &other) {
    return std::string("another kind of error: ") + other.what();
  }
  return "no error";
}

CompileOptions forward() {
  CompileOptions options;
  options.functions = {"forward"};
  return options;
}

// Library kernels, views and a state that is read: from covered text to numbers.
TEST(Compile, CoveredMatmulsGiveTheRightNumbers) {
  TextFile file("covered.mlir", R"mlir(
    func.func @forward(%x: tensor<2x3xf32> {raf.name = "x", raf.kind = "input"},
                       %w: tensor<4x3xf32> {raf.name = "w", raf.kind = "param", raf.init = "normal(0,1)"})
        -> (tensor<2x4xf32> {raf.name = "y"}, tensor<4x2xf32> {raf.name = "last"}) {
      %y = onednn.matmul %x, %w {transpose_b} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
      %t = raf.transpose %y {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
      %s = raf.slice %t {starts = array<i64: 2, 0>, limits = array<i64: 4, 2>, strides = array<i64: 1, 1>} : (tensor<4x2xf32>) -> tensor<2x2xf32>
      %z = onednn.matmul %t, %s : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
      return %y, %z : tensor<2x4xf32>, tensor<4x2xf32>
    })mlir");
  CompileResult result = compiler().compile({file.name(), {}}, forward());
  auto session = load(result);
  initialize(*session);
  Inputs inputs(*session, "forward");
  float *x = inputs.at<float>("x");
  for (int i = 0; i < 6; ++i)
    x[i] = static_cast<float>(i) - 2.5f;
  inputs.run();
  ASSERT_EQ(session->state().size(), 1u);
  const auto *w = static_cast<float *>(session->state()[0].view.data);
  const float *y = inputs.output<float>("y"), *z = inputs.output<float>("last");
  float expected[2][4];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      expected[i][j] = 0;
      for (int k = 0; k < 3; ++k)
        expected[i][j] += x[i * 3 + k] * w[j * 3 + k];
      EXPECT_NEAR(y[i * 4 + j], expected[i][j], 1e-5); // three products of numbers below 10
    }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j) {
      float sum = 0;
      for (int k = 0; k < 2; ++k)
        sum += expected[k][i] * expected[j][k + 2];
      // s = t[2:4] has s[k][j] = y[j][k + 2].
      EXPECT_NEAR(z[i * 2 + j], sum, 1e-4);
    }
}

TEST(Compile, RefusesWhatMakesNoSense) {
  auto compile = [](auto change) {
    CompileOptions options;
    change(options);
    return messageOf<UsageError>([&] { compiler().compile({"mlp:width=8", {}}, options); });
  };
  EXPECT_THAT(compile([](auto &o) { o.functions = {"train"}; }),
              HasSubstr("expected functions among train_step, evaluate, forward, value_and_grad, "
                        "but got \"train\""));
  EXPECT_THAT(compile([](auto &o) { o.functions = {}; }), HasSubstr("expected a function"));
  EXPECT_THAT(compile([](auto &o) { o.functions = {"forward", "forward"}; }), HasSubstr("twice"));
  EXPECT_THAT(compile([](auto &o) { o.stopAfter = "parse"; }),
              HasSubstr("expected a phase (import, evaluation,"));
  EXPECT_THAT(compile([](auto &o) { o.cpu = "z80"; }), HasSubstr("z80"));
  EXPECT_THAT(compile([](auto &o) { o.clipGradNorm = NAN; }), HasSubstr("gradient norm"));
  EXPECT_THAT(messageOf<UsageError>([] { compiler().print({"no-such-model", {}}); }),
              HasSubstr("expected a .mlir file or a model of the zoo (gpt2, bert"));
}

TEST(Compile, NamesTheLineOfAFileThatIsNoModel) {
  auto read = [](const std::string &text) {
    TextFile file("bad.mlir", text);
    return messageOf<InvalidFileError>([&] { compiler().print({file.name(), {}}); });
  };
  EXPECT_THAT(read("func.func @forward(%x: tensor<2xf32>) {\n return %y : tensor<2xf32> }"),
              HasSubstr("bad.mlir:2:9: "));
  EXPECT_THAT(read("module {}"), HasSubstr("(F1) expected a function @forward"));
  EXPECT_THAT(read("func.func @forward(%x: tensor<?xf32>) { return }"), HasSubstr("(F2)"));
  EXPECT_THAT(read("func.func @forward(%x: tensor<2xi7> {raf.name = \"x\", raf.kind = \"input\"}) "
                   "{ return }"),
              HasSubstr("(F2)"));
  EXPECT_THAT(read("func.func @forward(%x: tensor<2xf32> {raf.name = \"x\", raf.kind = \"param\"}) "
                   "{ return }"),
              HasSubstr("(F4) parameter \"x\" has no raf.init"));
  EXPECT_THAT(read(std::string(10000, '(')), HasSubstr("nested brackets"));
  EXPECT_THAT(read(std::string("\0\1\2", 3)), HasSubstr("bad.mlir:1:2: unexpected character"));
  EXPECT_THAT(messageOf<InvalidFileError>([] { compiler().print({"/no/such/file.mlir", {}}); }),
              HasSubstr("/no/such/file.mlir: "));
}

// A model without a loss gets one, with an input for what it should give.
TEST(Compile, ALossIsAppendedByItsName) {
  TextFile file("linear.mlir", R"mlir(
    func.func @forward(%x: tensor<2x3xf32> {raf.name = "x", raf.kind = "input"},
                       %w: tensor<3x4xf32> {raf.name = "w", raf.kind = "param", raf.init = "normal(0,1)"})
        -> (tensor<2x4xf32> {raf.name = "y"}) {
      %y = raf.matmul %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      return %y : tensor<2x4xf32>
    })mlir");
  CompileOptions options;
  options.functions = {"value_and_grad"};
  options.loss = "mse_loss";
  auto session = load(compiler().compile({file.name(), {}}, options));
  initialize(*session);
  Inputs inputs(*session, "value_and_grad");
  for (int i = 0; i < 8; ++i)
    inputs.at<float>("labels")[i] = 3; // x is zero, and so is y
  inputs.run();
  EXPECT_FLOAT_EQ(*inputs.output<float>("loss"), 9);
  options.loss = "cross_entropy";
  session = load(compiler().compile({file.name(), {}}, options));
  Inputs classes(*session, "value_and_grad");
  classes.at<int64_t>("labels")[1] = 2;
  classes.run();
  EXPECT_FLOAT_EQ(*classes.output<float>("loss"), std::log(4.0f)); // four equally likely classes
  options.loss = "hinge";
  EXPECT_THAT(messageOf<UsageError>([&] { compiler().compile({file.name(), {}}, options); }),
              HasSubstr("expected a loss (binary_cross_entropy, "));
}

TEST(Compile, InspectTellsParametersAndWork) {
  ModelInfo info = compiler().inspect({"mlp:layers=1,width=32,input=20,classes=5", {{"batch", 7}}});
  // fc0: 32 x 20 + 32, out: 5 x 32 + 5.
  EXPECT_EQ(info.parameterCount, 32 * 20 + 32 + 5 * 32 + 5);
  EXPECT_EQ(info.parameterBytes, 4u * static_cast<uint64_t>(info.parameterCount));
  EXPECT_GE(info.forwardFlops, 2.0 * 7 * (20 * 32 + 32 * 5));
  ASSERT_EQ(info.inputs.size(), 2u);
  EXPECT_EQ(info.inputs[0].name, "x");
  EXPECT_EQ(info.inputs[0].shape, (std::vector<int64_t>{7, 20}));
  EXPECT_EQ(info.inputs[1].dtype, DType::I64);
  ASSERT_EQ(info.outputs.size(), 2u);
  EXPECT_EQ(info.outputs[0].name, "loss");
  // At least what the ReLU gives is read again by the weight gradient.
  EXPECT_GE(info.activationBytes, 4u * 7 * 32);
  EXPECT_FALSE(info.opCensus.empty());
}

TEST(Compile, DotIsAGraphOfTheForward) {
  std::string dot = compiler().dot({"mlp:layers=1,width=8", {}});
  EXPECT_THAT(dot, testing::StartsWith("digraph forward {"));
  EXPECT_THAT(dot, HasSubstr("matmul"));
  EXPECT_THAT(dot, HasSubstr("-> results"));
}

} // namespace
