#include "runtime/threads/Threads.h"

#include "common/Error.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <sched.h>

extern "C" {
void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_thread_num();
int omp_get_max_threads();
void omp_set_num_threads(int);
}

namespace raf::runtime {

int availableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0)
    return 1;
  return std::max(1, CPU_COUNT(&set));
}

Threads::Threads(int count) : threadCount(count == 0 ? availableCores() : count) {
  constexpr int kMost = 4096;
  if (threadCount < 1 || threadCount > kMost)
    throw UsageError(fmt::format("threads: expected 0 to {}, but got {}", kMost, count));
}

Threads::Scope::Scope(int count) : before(omp_get_max_threads()) { omp_set_num_threads(count); }
Threads::Scope::~Scope() { omp_set_num_threads(before); }

namespace {

/// What is left of one thread's range. Alone on its cache line.
struct alignas(64) Share {
  std::atomic<int64_t> next;
  int64_t end, part;
};

constexpr int kMaxShares = 64; // more threads than that begin together on one

struct Region {
  void (*fn)(void *body, int64_t begin, int64_t end, int thread);
  void *body;
  int threads, shareCount;
  Share shares[kMaxShares];

  void work() {
    const int thread = omp_get_thread_num();
    if (thread >= threads)
      return;
    for (int i = 0; i < shareCount; ++i) {
      Share &share = shares[(thread + i) % shareCount];
      // Looking before taking: a finished share stays in every core's cache.
      while (share.next.load(std::memory_order_relaxed) < share.end) {
        const int64_t begin = share.next.fetch_add(share.part, std::memory_order_relaxed);
        if (begin >= share.end)
          break;
        fn(body, begin, std::min(begin + share.part, share.end), thread);
      }
    }
  }
};

} // namespace

void Threads::run(int64_t work, int64_t grain, PartFn part, void *body) const {
  if (work <= 0)
    return;
  const auto threads = static_cast<int>(std::clamp<int64_t>(work / grain, 1, threadCount));
  if (threads == 1)
    return part(body, 0, work, 0);
  constexpr int64_t kPartsPerShare = 4;
  Region region{part, body, threads, std::min(threads, kMaxShares), {}};
  const int64_t each = work / region.shareCount, more = work % region.shareCount;
  int64_t begin = 0;
  for (int i = 0; i < region.shareCount; ++i) {
    const int64_t size = each + (i < more ? 1 : 0);
    region.shares[i].next.store(begin, std::memory_order_relaxed);
    region.shares[i].end = begin += size;
    region.shares[i].part = std::max(grain, (size + kPartsPerShare - 1) / kPartsPerShare);
  }
  // Always the whole team: libgomp ends and restarts threads when the size of a team changes.
  GOMP_parallel([](void *region) { static_cast<Region *>(region)->work(); }, &region,
                static_cast<unsigned>(threadCount), 0);
}

} // namespace raf::runtime
