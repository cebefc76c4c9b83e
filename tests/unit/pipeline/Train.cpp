#include "tests/unit/pipeline/Harness.h"

#include "common/Error.h"

using namespace raf;
using namespace raf::test;

namespace {

constexpr const char *kMlp = "mlp:layers=2,width=37,input=19,classes=5,dropout=0.1";

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

TEST(Train, ThePlannedPeakIsWhatTheSessionTakes) {
  CompileResult result = compiler().compile({kMlp, {{"batch", 3}}}, {});
  auto session = load(result);
  const runtime::MemoryStats memory = session->memory();
  EXPECT_EQ(memory.arenaBytes, result.arenaBytes);
  EXPECT_EQ(memory.stateBytes, result.stateBytes);
  EXPECT_EQ(memory.plannedPeakBytes(),
            result.arenaBytes + result.stateBytes + memory.workspaceBytes);
  initialize(*session);
  train(*session, 2, 1e-3f, 5);
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
  EXPECT_EQ(compiler().compile({kMlp, {{"batch", 3}}}, {}).executable,
            compiler().compile({kMlp, {{"batch", 3}}}, {}).executable);
}

TEST(Train, EvaluationAndTrainingShareOneState) {
  CompileOptions options;
  options.functions = {"train_step", "evaluate"};
  auto session = load(compiler().compile({kMlp, {{"batch", 3}}}, options));
  initialize(*session);
  Inputs evaluate(*session, "evaluate");
  evaluate.run();
  const float before = *evaluate.output<float>("loss");
  train(*session, 20, 1e-2f, 5);
  evaluate.run();
  EXPECT_NE(*evaluate.output<float>("loss"), before);
}

} // namespace
