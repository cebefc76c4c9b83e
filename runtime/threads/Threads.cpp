#include "runtime/threads/Threads.h"

#include "common/Error.h"

#include <algorithm>
#include <fmt/format.h>
#include <sched.h>

extern "C" {
void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_thread_num();
int omp_get_num_threads();
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

void Threads::run(int64_t work, int64_t grain, PartFn part, void *body) const {
  if (work <= 0)
    return;
  struct Region {
    PartFn part;
    void *body;
    int64_t work;
    int parts;
  } region{part, body, work, static_cast<int>(std::clamp<int64_t>(work / grain, 1, threadCount))};
  if (region.parts == 1)
    return part(body, 0, work, 0);
  // Always the whole team: libgomp ends and restarts threads when the size of a team changes.
  GOMP_parallel(
      [](void *data) {
        const Region &r = *static_cast<const Region *>(data);
        const int thread = omp_get_thread_num();
        const int parts = std::min(r.parts, omp_get_num_threads()); // the system may give fewer
        if (thread >= parts)
          return;
        const int64_t each = r.work / parts, more = r.work % parts;
        const int64_t begin = thread * each + std::min<int64_t>(thread, more);
        r.part(r.body, begin, begin + each + (thread < more ? 1 : 0), thread);
      },
      &region, static_cast<unsigned>(threadCount), 0);
}

} // namespace raf::runtime
