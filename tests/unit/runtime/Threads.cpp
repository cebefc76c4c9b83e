#include "runtime/threads/Threads.h"

#include "common/Error.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace raf;
using runtime::Threads;

// Every item is done once, by a thread with a number below the count, in parts of at least the
// grain.
TEST(Threads, CoverTheWork) {
  for (int count : {1, 2, 3, 70})
    for (int64_t work : {0, 1, 2, 7, 64, 997})
      for (int64_t grain : {1, 3, 50, 1000}) {
        std::vector<std::atomic<int>> done(static_cast<size_t>(work));
        std::atomic<int> highest = -1, small = 0;
        Threads(count).parallelFor(work, grain, [&](int64_t begin, int64_t end, int thread) {
          for (int64_t i = begin; i < end; ++i)
            ++done[static_cast<size_t>(i)];
          if (thread > highest)
            highest = thread;
          small += end - begin < grain;
        });
        for (const std::atomic<int> &times : done)
          ASSERT_EQ(times, 1) << count << " threads, work " << work << ", grain " << grain;
        const int64_t most = std::max<int64_t>(1, std::min<int64_t>(count, work / grain));
        EXPECT_LT(highest, most);
        EXPECT_LE(small, most); // the last part of each range
      }
}

// A thread that is held up in its first part does not keep the parts behind it from being done.
TEST(Threads, TakePartsOfOneThatIsHeldUp) {
  constexpr int64_t kWork = 64;
  std::atomic<int64_t> done = 0;
  bool others = false;
  Threads(2).parallelFor(kWork, 1, [&](int64_t begin, int64_t end, int) {
    done += end - begin;
    if (begin != 0)
      return;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (done < kWork && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
    others = done == kWork;
  });
  EXPECT_TRUE(others);
}

TEST(Threads, RefuseAnAbsurdCount) {
  EXPECT_THROW(Threads(-1), UsageError);
  EXPECT_THROW(Threads(1 << 20), UsageError);
  EXPECT_EQ(Threads(0).count(), runtime::availableCores());
}
