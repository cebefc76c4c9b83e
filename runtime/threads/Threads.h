// The one pool of threads: libgomp's, which oneDNN runs on as well, so that a process never holds
// two pools that compete for the same cores. libgomp is called by hand because clang cannot emit
// calls to it from pragmas.
#pragma once

#include <cstdint>
#include <type_traits>

namespace raf::runtime {

/// Cores this process may run on (affinity mask), at least 1.
int availableCores();

class Threads {
public:
  /// 0: availableCores(). Throws UsageError for a negative or absurd count.
  explicit Threads(int count = 0);
  int count() const { return threadCount; }

  /// Calls `fn(begin, end, thread)` on contiguous parts of [0, work), none smaller than `grain`
  /// unless it is the last. At most work / grain threads take part, `thread` numbers them from 0.
  /// Each begins with a range of its own, in a few parts, and then takes parts that others have not
  /// begun, so that neither uneven items nor a thread that lost its core keep the rest waiting.
  /// `fn` must not throw. With one thread there is one direct call. Not to be nested.
  template <class Fn> void parallelFor(int64_t work, int64_t grain, Fn &&fn) const {
    using Body = std::remove_reference_t<Fn>;
    run(
        work, grain,
        [](void *body, int64_t begin, int64_t end, int thread) {
          (*static_cast<Body *>(body))(begin, end, thread);
        },
        const_cast<void *>(static_cast<const void *>(&fn)));
  }

  /// While alive, parallel regions that this thread opens (oneDNN's as well) have `count` threads.
  class Scope {
  public:
    explicit Scope(int count);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    int before;
  };

private:
  using PartFn = void (*)(void *body, int64_t begin, int64_t end, int thread);
  void run(int64_t work, int64_t grain, PartFn part, void *body) const;

  int threadCount;
};

} // namespace raf::runtime
