#include "trainer/loop/Train.h"

#include "common/Error.h"
#include "tests/unit/trainer/Support.h"
#include "trainer/loop/InitializeState.h"
#include "trainer/loop/StopSignal.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace raf;
using namespace raf::test;
using namespace raf::trainer;
using testing::HasSubstr;

namespace {

class Train : public testing::Test {
protected:
  Train() {
    std::string text;
    for (int i = 0; i < 500; ++i)
      text += static_cast<char>(i * i % kFakeVocabulary);
    data = openDataset({folder.file("text.txt", text), "", kFakeVocabulary, 9},
                       languageInputs(kFakeBatch, kFakeContext));
    options.batch = kFakeBatch;
    options.schedule = {Schedule::Kind::Cosine, 0.1, 0, 3, 40};
  }

  static std::unique_ptr<runtime::Session> fresh(int64_t nanAt = -1) {
    auto session = makeFakeSession(kFakeBatch, nanAt);
    for (const runtime::StateInfo &state : session->state())
      initializeState(state, 9);
    return session;
  }

  static Progress start() {
    Progress progress;
    progress.seed = 9;
    return progress;
  }

  // Trains to `steps` and gives the JSON lines.
  std::vector<nlohmann::json> run(runtime::Session &session, Progress &progress, int64_t steps,
                                  CheckpointStore *store = nullptr) {
    options.steps = steps;
    testing::internal::CaptureStdout();
    {
      Metrics metrics({true, false, 1});
      metrics.done(train(session, *data, options, progress, store, metrics));
    }
    std::vector<nlohmann::json> lines;
    std::istringstream out(testing::internal::GetCapturedStdout());
    for (std::string line; std::getline(out, line);)
      lines.push_back(nlohmann::json::parse(line));
    return lines;
  }

  TemporaryFolder folder;
  std::unique_ptr<Dataset> data;
  TrainOptions options;
};

TEST_F(Train, ARunInPiecesEqualsTheUnbrokenOneBitByBit) {
  auto whole = fresh();
  Progress progress = start();
  const auto lines = run(*whole, progress, 40);

  options.checkpointEvery = 7;
  std::vector<double> losses;
  for (int64_t until : {9, 10, 23, 40}) {
    CheckpointStore store(folder / "run");
    auto session = makeFakeSession(); // nothing of the last piece is left but its checkpoint
    Progress at = start();
    if (until == 9)
      session = fresh();
    else
      at = restoreCheckpoint(findCheckpoint(folder / "run"), *session, Restore::All);
    for (const auto &line : run(*session, at, until, &store))
      if (line.contains("step") && line.contains("loss"))
        losses.push_back(line["loss"]);
    if (until == 40)
      EXPECT_EQ(stateBytes(*session), stateBytes(*whole));
  }
  ASSERT_EQ(losses.size(), 40u);
  for (size_t i = 0; i < 40; ++i)
    EXPECT_EQ(losses[i], lines[i]["loss"].get<double>()) << "step " << i + 1;
}

TEST_F(Train, EveryStepIsOneLineThatReadsBackExactly) {
  auto session = fresh();
  Progress progress = start();
  const auto lines = run(*session, progress, 5);
  ASSERT_EQ(lines.size(), 6u);
  for (size_t i = 0; i < 5; ++i) {
    for (const char *key : {"step", "loss", "lr", "grad_norm", "step_seconds", "samples_per_second",
                            "tokens_per_second"})
      EXPECT_TRUE(lines[i].contains(key)) << key;
    EXPECT_EQ(lines[i]["step"], i + 1);
    EXPECT_EQ(lines[i]["lr"].get<double>(), options.schedule.rate(static_cast<int64_t>(i)));
    // A loss is a float: reading the line back gives one exactly.
    const double loss = lines[i]["loss"];
    EXPECT_EQ(static_cast<double>(static_cast<float>(loss)), loss);
  }
  EXPECT_EQ(lines[5]["event"], "done");
  for (const char *key : {"compile_seconds", "planned_peak_bytes", "peak_rss_bytes", "final_loss"})
    EXPECT_TRUE(lines[5].contains(key)) << key;
  EXPECT_EQ(lines[5]["final_loss"], lines[4]["loss"]);
}

TEST_F(Train, OnlyStepLinesCarryStepAndLoss) {
  auto session = fresh();
  Progress progress = start();
  options.checkpointEvery = options.evaluateEvery = 2;
  options.evaluate = [] { return Evaluation{1.5, 3, 12, 0.1}; };
  CheckpointStore store(folder / "run");
  int steps = 0, events = 0;
  for (const auto &line : run(*session, progress, 4, &store)) {
    const bool isStep = line.contains("step") && line.contains("loss");
    EXPECT_NE(isStep, line.contains("event")) << line;
    ++(isStep ? steps : events);
  }
  EXPECT_EQ(steps, 4);
  EXPECT_EQ(events, 5); // two evaluations, two checkpoints, done
}

TEST_F(Train, AStepsLineIsOutBeforeItsCheckpointExists) {
  auto session = fresh();
  Progress progress = start();
  options.checkpointEvery = 1;
  CheckpointStore store(folder / "run", 100);
  int64_t printed = 0;
  for (const auto &line : run(*session, progress, 3, &store)) {
    if (line.contains("loss"))
      printed = line["step"];
    if (line.value("event", "") == "checkpoint")
      EXPECT_EQ(line["step"], printed);
  }
  EXPECT_EQ(printed, 3);
}

TEST_F(Train, ANonFiniteLossEndsTheRunAndWritesNoCheckpoint) {
  auto session = fresh(2);
  Progress progress = start();
  CheckpointStore store(folder / "run");
  EXPECT_THAT(messageOf<Error>([&] {
                try {
                  run(*session, progress, 5, &store);
                } catch (...) {
                  testing::internal::GetCapturedStdout();
                  throw;
                }
              }),
              HasSubstr("step 3: loss is nan"));
  EXPECT_TRUE(listCheckpoints(folder / "run").empty());
}

TEST_F(Train, ASignalEndsTheRunAfterItsStepWithACheckpoint) {
  auto session = fresh();
  Progress progress = start();
  StopSignal stop;
  CheckpointStore store(folder / "run");
  options.evaluateEvery = 3;
  options.evaluate = [] {
    raise(SIGTERM);
    return Evaluation{1, 1, 0, 0};
  };
  const auto lines = run(*session, progress, 1000, &store);
  EXPECT_EQ(lines.back()["event"], "interrupted");
  EXPECT_EQ(lines.back()["signal"], "SIGTERM");
  EXPECT_EQ(lines.back()["steps"], 3);
  EXPECT_EQ(listCheckpoints(folder / "run").back().step, 3);
}

TEST_F(Train, AFinishedRunDoesNothingButSayItsLoss) {
  auto session = fresh();
  Progress progress = start();
  progress.step = 7;
  progress.loss = 0.25;
  const auto lines = run(*session, progress, 7);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["final_loss"], 0.25);
}

TEST_F(Train, EvaluationCountsEverySampleOnceAndEqually) {
  auto session = makeFakeSession();
  const int64_t held = data->samples(Split::HeldOut);
  ASSERT_EQ(held, 12);
  auto odd = makeFakeSession(5), rest = makeFakeSession(2);
  auto remainder = [&](int64_t rows) -> runtime::Session & {
    EXPECT_EQ(rows, 2);
    return *rest;
  };
  const Evaluation by2 = evaluate(*session, 2, nullptr, *data, 0);
  const Evaluation by5 = evaluate(*odd, 5, remainder, *data, 0);
  EXPECT_EQ(by5.samples, 12);
  EXPECT_NEAR(by5.loss, by2.loss, 1e-6 * by2.loss); // losses are floats
  EXPECT_EQ(evaluate(*odd, 5, nullptr, *data, 0).samples, 10);
  EXPECT_THAT(messageOf<InvalidFileError>([&] { evaluate(*odd, 13, nullptr, *data, 0); }),
              HasSubstr("expected at least 13 samples in the last tenth, but got 12"));
}

TEST_F(Train, CopiedStateIsEqualAndMismatchesAreNamed) {
  auto from = fresh(), to = makeFakeSession();
  copyState(*from, *to);
  EXPECT_EQ(stateBytes(*from), stateBytes(*to));
  to->state()[0].name = "other";
  EXPECT_THAT(messageOf<ShapeError>([&] { copyState(*from, *to); }), HasSubstr("state 'other'"));
}

} // namespace
