#include "common/Error.h"
#include "tests/unit/trainer/Support.h"
#include "trainer/checkpoint/CheckpointStore.h"
#include "trainer/loop/InitializeState.h"

#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>

using namespace raf;
using namespace raf::test;
using namespace raf::trainer;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

std::unique_ptr<runtime::Session> initialised(uint64_t seed) {
  auto session = makeFakeSession();
  for (const runtime::StateInfo &state : session->state())
    initializeState(state, seed);
  *static_cast<int64_t *>(session->state()[1].view.data) = static_cast<int64_t>(seed);
  return session;
}

Progress progressAt(int64_t step) {
  Progress progress;
  progress.step = step;
  progress.seed = 0xffffffffffffffff;
  progress.position = 3 * static_cast<uint64_t>(step);
  progress.loss = 0.1 + static_cast<double>(step);
  progress.config = R"({"model":"gpt2"})";
  return progress;
}

void flipByte(const std::string &path, std::streamoff fromEnd) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(-fromEnd, std::ios::end);
  const char byte = static_cast<char>(file.get() ^ 1);
  file.seekp(-fromEnd, std::ios::end);
  file.put(byte);
}

TEST(Checkpoint, EverythingComesBackBitByBit) {
  TemporaryFolder folder;
  auto session = initialised(5), other = initialised(6);
  CheckpointStore store(folder / "run");
  const std::string path = store.save(*session, progressAt(12));
  EXPECT_EQ(path, (fs::path(folder / "run") / "step-00000012").string());
  ASSERT_NE(stateBytes(*session), stateBytes(*other));
  const Progress progress = restoreCheckpoint(path, *other, Restore::All);
  EXPECT_EQ(stateBytes(*session), stateBytes(*other));
  EXPECT_EQ(progress.step, 12);
  EXPECT_EQ(progress.seed, 0xffffffffffffffff);
  EXPECT_EQ(progress.position, 36u);
  EXPECT_EQ(progress.loss, 12.1);
  EXPECT_EQ(progress.config, R"({"model":"gpt2"})");
  EXPECT_EQ(findCheckpoint(folder / "run"), path);
  EXPECT_EQ(findCheckpoint(path), path);
}

TEST(Checkpoint, WeightsOnlyLeavesOptimizerStateAlone) {
  TemporaryFolder folder;
  auto session = initialised(5), other = initialised(6);
  auto *momentum = static_cast<float *>(other->state()[2].view.data);
  momentum[0] = 7;
  const std::string path = CheckpointStore(folder / "run").save(*session, progressAt(1));
  restoreCheckpoint(path, *other, Restore::WeightsOnly);
  EXPECT_EQ(momentum[0], 7);
  EXPECT_EQ(stateBytes(*session).substr(0, 32), stateBytes(*other).substr(0, 32));
}

TEST(Checkpoint, DamageIsFoundAndNamedAndTheSessionIsLeftUntouched) {
  TemporaryFolder folder;
  auto session = initialised(5), other = initialised(6);
  CheckpointStore store(folder / "run");
  const std::string before = stateBytes(*other);
  auto damaged = [&](auto damage) {
    const std::string path = store.save(*session, progressAt(1));
    damage(path);
    const std::string verified = messageOf<Error>([&] { verifyCheckpoint(path); });
    const std::string restored =
        messageOf<Error>([&] { restoreCheckpoint(path, *other, Restore::All); });
    EXPECT_EQ(stateBytes(*other), before);
    EXPECT_EQ(verified, restored);
    return restored;
  };
  EXPECT_THAT(
      damaged([](const std::string &p) { flipByte(p + "/model.safetensors", 1); }),
      testing::AllOf(HasSubstr("model.safetensors: tensor '"), HasSubstr("checksum differs")));
  EXPECT_THAT(damaged([](const std::string &p) { flipByte(p + "/optimizer.safetensors", 3); }),
              HasSubstr("optimizer.safetensors: tensor 'w/momentum': checksum differs"));
  EXPECT_THAT(damaged([](const std::string &p) { flipByte(p + "/trainer.json", 20); }),
              HasSubstr("trainer.json: checksum differs"));
  EXPECT_THAT(damaged([](const std::string &p) { fs::resize_file(p + "/model.safetensors", 90); }),
              HasSubstr("but got 90"));
  EXPECT_THAT(damaged([](const std::string &p) { fs::remove(p + "/optimizer.safetensors"); }),
              HasSubstr("optimizer.safetensors: cannot open"));
  EXPECT_THAT(damaged([](const std::string &p) { fs::resize_file(p + "/manifest.json", 30); }),
              HasSubstr("manifest.json: expected a checkpoint manifest"));
}

TEST(Checkpoint, AManifestCannotPointOutOfItsFolder) {
  TemporaryFolder folder;
  auto session = initialised(5);
  const std::string path = CheckpointStore(folder / "run").save(*session, progressAt(1));
  std::ofstream(path + "/manifest.json")
      << R"({"format":"raf checkpoint","version":1,"step":1,"files":{"../../x":{"bytes":1,"xxh3_128":"0"}}})";
  EXPECT_THAT(messageOf<InvalidFileError>([&] { verifyCheckpoint(path); }),
              HasSubstr("expected plain file names"));
}

TEST(Checkpoint, TheNewestAreKeptInTheOrderOfTheirSteps) {
  TemporaryFolder folder;
  auto session = initialised(5);
  CheckpointStore store(folder / "run", 2);
  fs::create_directory(folder / "run/notes");
  for (int64_t step : {8, 9, 10, 123456789})
    store.save(*session, progressAt(step));
  const auto left = listCheckpoints(folder / "run");
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].step, 10);
  EXPECT_EQ(left[1].step, 123456789);
  EXPECT_TRUE(fs::exists(folder / "run/notes")) << "what is not ours stays";
}

TEST(Checkpoint, OneRunPerFolder) {
  TemporaryFolder folder;
  CheckpointStore store(folder / "run");
  EXPECT_THAT(messageOf<Error>([&] { CheckpointStore second(folder / "run"); }),
              HasSubstr("another run keeps its checkpoints here"));
}

TEST(Checkpoint, AFolderThatCannotBeMadeIsNamed) {
  TemporaryFolder folder;
  folder.file("run", "a file is in the way");
  EXPECT_THAT(messageOf<Error>([&] { CheckpointStore store(folder / "run"); }),
              HasSubstr("run: cannot keep checkpoints here"));
  EXPECT_THAT(messageOf<Error>([&] { findCheckpoint(folder / "run"); }),
              HasSubstr("expected a checkpoint, but found none"));
}

// The disk is full, as far as the writer can tell.
TEST(Checkpoint, AFailedWriteLeavesTheOlderCheckpointAndNothingElse) {
  TemporaryFolder folder;
  auto session = initialised(5);
  CheckpointStore store(folder / "run");
  const std::string older = store.save(*session, progressAt(1));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{100, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = messageOf<Error>([&] { store.save(*session, progressAt(2)); });
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(message, HasSubstr("model.safetensors: cannot write"));
  EXPECT_EQ(verifyCheckpoint(older).step, 1);
  int entries = 0;
  for (const auto &entry : fs::directory_iterator(folder / "run"))
    entries += entry.path().filename() != ".lock";
  EXPECT_EQ(entries, 1);
}

// What a run leaves when it is killed at any moment while it writes is usable and complete.
TEST(Checkpoint, AKilledWriterLeavesOnlyWholeCheckpoints) {
  TemporaryFolder folder;
  int64_t newest = 1;
  bool sawUnfinished = false;
  // How long a save takes here sets when to kill: during the second to the fourth of a child.
  const auto begin = std::chrono::steady_clock::now();
  {
    auto session = initialised(5);
    CheckpointStore(folder / "run", 3).save(*session, progressAt(newest));
  }
  const auto oneSave = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  for (int round = 0; round < 12; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      auto session = initialised(5);
      CheckpointStore store(folder / "run", 3);
      for (int64_t step = newest + 1;; ++step)
        store.save(*session, progressAt(step));
    }
    std::this_thread::sleep_for(oneSave * (12 + 3 * round) / 10);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    for (const auto &entry : fs::directory_iterator(folder / "run"))
      sawUnfinished |= entry.path().filename().string().starts_with(".unfinished-");
    for (const CheckpointInfo &info : listCheckpoints(folder / "run")) {
      EXPECT_EQ(verifyCheckpoint(info.path).step, info.step);
      EXPECT_GE(info.step, newest - 3);
      newest = std::max(newest, info.step);
    }
  }
  EXPECT_GT(newest, 1) << "no checkpoint was finished: the test proved nothing";
  EXPECT_TRUE(sawUnfinished) << "no write was interrupted: the test proved nothing";
  CheckpointStore next(folder / "run");
  for (const auto &entry : fs::directory_iterator(folder / "run"))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".unfinished-"));
}

} // namespace
