#include "compiler/schedule/Packing.h"

#include "compiler/schedule/Storage.h"

#include <algorithm>
#include <numeric>

namespace raf::schedule {
namespace {

uint64_t liveBound(const std::vector<Interval> &intervals) {
  int end = 0;
  for (const Interval &x : intervals)
    end = std::max(end, x.last + 1);
  std::vector<int64_t> change(static_cast<size_t>(end) + 1, 0);
  for (const Interval &x : intervals) {
    change[x.first] += static_cast<int64_t>(alignUp(x.bytes));
    change[x.last + 1] -= static_cast<int64_t>(alignUp(x.bytes));
  }
  int64_t live = 0, most = 0;
  for (int64_t delta : change)
    most = std::max(most, live += delta);
  return static_cast<uint64_t>(most);
}

/// Best fit in the given order.
Packing place(const std::vector<Interval> &intervals, const std::vector<int> &order) {
  Packing packing;
  packing.offsets.assign(intervals.size(), 0);
  std::vector<int> placed; // by offset
  for (int i : order) {
    const Interval &x = intervals[i];
    const uint64_t bytes = alignUp(x.bytes);
    uint64_t end = 0, best = 0, bestGap = UINT64_MAX;
    for (int j : placed) {
      const Interval &y = intervals[j];
      if (y.last < x.first || x.last < y.first)
        continue;
      uint64_t begin = packing.offsets[j];
      if (begin >= end + bytes && begin - end < bestGap) {
        best = end;
        bestGap = begin - end;
      }
      end = std::max(end, begin + alignUp(y.bytes));
    }
    packing.offsets[i] = bestGap == UINT64_MAX ? end : best;
    packing.bytes = std::max(packing.bytes, packing.offsets[i] + bytes);
    auto at = std::upper_bound(placed.begin(), placed.end(), i, [&](int a, int b) {
      return packing.offsets[a] < packing.offsets[b];
    });
    placed.insert(at, i);
  }
  return packing;
}

} // namespace

Packing pack(const std::vector<Interval> &intervals) {
  std::vector<int> bySize;
  for (size_t i = 0; i < intervals.size(); ++i)
    if (intervals[i].bytes > 0)
      bySize.push_back(static_cast<int>(i));
  std::vector<int> byArea = bySize, byStart = bySize;
  auto area = [&](int i) {
    return static_cast<double>(intervals[i].bytes) * (intervals[i].last - intervals[i].first + 1);
  };
  // Equal buffers keep their order, so that the packing is the same everywhere.
  auto key = [](auto value, int i) { return std::pair(value, i); };
  std::sort(bySize.begin(), bySize.end(), [&](int a, int b) {
    return key(~intervals[a].bytes, a) < key(~intervals[b].bytes, b);
  });
  std::sort(byArea.begin(), byArea.end(),
            [&](int a, int b) { return key(-area(a), a) < key(-area(b), b); });
  std::sort(byStart.begin(), byStart.end(),
            [&](int a, int b) { return key(intervals[a].first, a) < key(intervals[b].first, b); });

  const uint64_t bound = liveBound(intervals);
  Packing best;
  best.bytes = UINT64_MAX;
  // Work is bounded so that a plan of thousands of buffers stays within milliseconds.
  const size_t n = bySize.size() + 1;
  const size_t rounds = std::clamp<size_t>(20'000'000 / (n * n), 1, 64);
  for (std::vector<int> *order : {&bySize, &byArea, &byStart})
    for (size_t round = 0; round < rounds && best.bytes > bound; ++round) {
      Packing packing = place(intervals, *order);
      if (packing.bytes < best.bytes)
        best = packing;
      // Whoever lies on top goes first in the next round.
      auto top = std::max_element(order->begin(), order->end(), [&](int a, int b) {
        return packing.offsets[a] + alignUp(intervals[a].bytes) <
               packing.offsets[b] + alignUp(intervals[b].bytes);
      });
      if (top == order->begin() || top == order->end())
        break;
      std::rotate(order->begin(), top, top + 1);
    }
  if (best.offsets.empty())
    best = place(intervals, bySize);
  best.bound = bound;
  return best;
}

} // namespace raf::schedule
