#include "tests/unit/pipeline/Harness.h"

#include "common/Error.h"

#include <cmath>

using namespace raf;
using namespace raf::test;

namespace {

constexpr const char *kTinyGpt = "gpt2:layers=2,width=32,heads=4,context=16,vocab=64,dropout=0.1";

/// Losses of `steps` steps on one batch that never changes.
std::vector<float> train(runtime::Session &session, int steps, float lr, int64_t classes) {
  Inputs inputs(session, "train_step");
  std::mt19937 random(3);
  for (const runtime::NamedTensor &input : session.inputs("train_step")) {
    if (input.view.dtype == DType::I64 && input.name != "key")
      for (int64_t i = 0; i < input.view.numElements(); ++i)
        inputs.at<int64_t>(input.name)[i] = static_cast<int64_t>(random()) % classes;
    else if (input.view.dtype == DType::F32 && input.name != "lr")
      for (int64_t i = 0; i < input.view.numElements(); ++i)
        inputs.at<float>(input.name)[i] = static_cast<float>(random() % 1000) / 500 - 1;
  }
  *inputs.at<float>("lr") = lr;
  std::vector<float> losses;
  for (int step = 1; step <= steps; ++step) {
    inputs.at<int64_t>("key")[0] = 7;
    inputs.at<int64_t>("key")[1] = step;
    inputs.run();
    losses.push_back(*inputs.output<float>("loss"));
    EXPECT_GT(*inputs.output<float>("grad_norm"), 0);
  }
  return losses;
}

TEST(Train, AnMlpLearnsItsBatch) {
  CompileOptions options;
  options.optimizer.name = "sgd";
  auto session = load(
      compiler().compile({"mlp:layers=2,width=37,input=19,classes=5", {{"batch", 13}}}, options));
  initialize(*session);
  std::vector<float> losses = train(*session, 60, 0.2f, 5);
  EXPECT_LT(losses.back(), 0.5f * losses.front());
}

TEST(Train, ATinyGptLearnsItsBatch) {
  CompileOptions options;
  options.clipGradNorm = 1;
  CompileResult result = compiler().compile({kTinyGpt, {{"batch", 3}}}, options);
  auto session = load(result);
  initialize(*session);
  std::vector<float> losses = train(*session, 60, 1e-2f, 64);
  // Untrained, all 64 tokens are about equally likely.
  EXPECT_NEAR(losses.front(), std::log(64.0), 0.3);
  EXPECT_LT(losses.back(), 0.7f * losses.front());
}

// Patches of an image: a reshape into six dimensions and a transpose, copied by one loop nest.
TEST(Train, AVisionTransformerTrains) {
  CompileOptions options;
  auto session = load(compiler().compile(
      {"vit-b-16:layers=1,width=16,heads=2,image=32,patch=8,classes=7,dropout=0", {{"batch", 2}}},
      options));
  initialize(*session);
  std::vector<float> losses = train(*session, 30, 1e-2f, 7);
  EXPECT_LT(losses.back(), 0.5f * losses.front());
}

// Section 9 of the contract: neither a second run nor, in deterministic mode, the threads change a
// bit.
TEST(Train, BitsDoNotDependOnThreadsInDeterministicMode) {
  CompileOptions options;
  options.clipGradNorm = 1;
  options.deterministic = true;
  CompileResult result = compiler().compile({kTinyGpt, {{"batch", 3}}}, options);
  auto bits = [&](int threads) {
    auto session =
        runtime::Session::load(result.executable, {.threads = threads, .deterministic = true});
    initialize(*session);
    std::vector<float> values = train(*session, 5, 1e-2f, 64);
    for (const runtime::StateInfo &state : session->state())
      values.insert(values.end(), static_cast<float *>(state.view.data),
                    static_cast<float *>(state.view.data) + state.view.numElements());
    return values;
  };
  const std::vector<float> one = bits(1);
  EXPECT_EQ(one, bits(1));
  EXPECT_EQ(one, bits(2));
  EXPECT_EQ(one, bits(5));
}

TEST(Train, ThePlannedPeakIsWhatTheSessionTakes) {
  CompileResult result = compiler().compile({kTinyGpt, {{"batch", 3}}}, {});
  auto session = load(result);
  const runtime::MemoryStats memory = session->memory();
  EXPECT_EQ(memory.arenaBytes, result.arenaBytes);
  EXPECT_EQ(memory.stateBytes, result.stateBytes);
  EXPECT_EQ(memory.plannedPeakBytes(),
            result.arenaBytes + result.stateBytes + memory.workspaceBytes);
  initialize(*session);
  train(*session, 2, 1e-3f, 64);
  EXPECT_EQ(session->memory().plannedPeakBytes(), memory.plannedPeakBytes());
}

TEST(Train, ABudgetBelowThePlanIsRefusedWithTheLeastThatWorks) {
  CompileOptions options;
  options.memoryBudget = 1000;
  uint64_t least = 0;
  try {
    compiler().compile({"mlp:width=8", {}}, options);
  } catch (const OutOfMemoryError &error) {
    least = error.leastBytes;
  }
  ASSERT_GT(least, 1000u);
  options.memoryBudget = least;
  EXPECT_NO_THROW(compiler().compile({"mlp:width=8", {}}, options));
}

TEST(Train, EqualRequestsGiveEqualBytes) {
  EXPECT_EQ(compiler().compile({kTinyGpt, {{"batch", 3}}}, {}).executable,
            compiler().compile({kTinyGpt, {{"batch", 3}}}, {}).executable);
}

// Layers share their machine code, and so do batch sizes: all but the few groups that the cover,
// which decides by cost, forms otherwise at another size, and the joined updates of small
// parameters, which are more with more layers.
TEST(Train, LayersAndBatchSizesShareMachineCode) {
  const std::string cache = testing::TempDir() + "/raf-pipeline-cache";
  std::filesystem::remove_all(cache);
  CompileOptions options;
  options.cacheDir = cache;
  const std::string keys = ",width=32,heads=4,context=16,vocab=64";
  CompileResult two = compiler().compile({"gpt2:layers=2" + keys, {{"batch", 2}}}, options);
  EXPECT_GT(two.kernelsCompiled, 0);
  EXPECT_EQ(two.kernelsFromCache, 0);
  CompileResult four = compiler().compile({"gpt2:layers=4" + keys, {{"batch", 2}}}, options);
  EXPECT_LE(four.kernelsCompiled, two.kernelsCompiled / 5);
  CompileResult batch = compiler().compile({"gpt2:layers=2" + keys, {{"batch", 3}}}, options);
  EXPECT_LE(batch.kernelsCompiled, two.kernelsCompiled / 10);
  std::filesystem::remove_all(cache);
}

TEST(Train, EvaluationAndTrainingShareOneState) {
  CompileOptions options;
  options.functions = {"train_step", "evaluate"};
  auto session = load(compiler().compile({kTinyGpt, {{"batch", 3}}}, options));
  initialize(*session);
  Inputs evaluate(*session, "evaluate");
  evaluate.run();
  const float before = *evaluate.output<float>("loss");
  train(*session, 20, 1e-2f, 64);
  evaluate.run();
  EXPECT_NE(*evaluate.output<float>("loss"), before);
}

} // namespace
