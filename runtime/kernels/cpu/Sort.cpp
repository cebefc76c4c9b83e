// rt.sort and rt.topk: stable, NaN is the greatest value and all NaNs are equal, -0 equals +0.
//
// Every element becomes a pair (key, index): the key is an unsigned integer in the order of the
// values, so that one comparison serves every dtype, and the index makes all pairs different, so
// that an unstable in-place sort gives the stable order.
#include "common/Error.h"
#include "common/HalfFloat.h"
#include "runtime/kernels/cpu/LibraryKernel.h"
#include "runtime/memory/Arena.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <string>

namespace raf::runtime {
namespace {

uint64_t keyOf(double value) {
  if (std::isnan(value))
    return std::numeric_limits<uint64_t>::max();
  const auto bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
  constexpr uint64_t sign = uint64_t{1} << 63;
  return bits & sign ? ~bits : bits | sign;
}
uint64_t keyOf(int64_t value) {
  return static_cast<uint64_t>(value) ^ uint64_t { 1 } << 63;
}

template <class T> T load(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

uint64_t keyAt(const std::byte *at, DType dtype) {
  switch (dtype) {
  case DType::F32:
    return keyOf(double{load<float>(at)});
  case DType::F64:
    return keyOf(load<double>(at));
  case DType::BF16:
    return keyOf(double{static_cast<float>(load<BF16>(at))});
  case DType::F16:
    return keyOf(double{static_cast<float>(load<F16>(at))});
  case DType::I8:
    return keyOf(int64_t{load<int8_t>(at)});
  case DType::I16:
    return keyOf(int64_t{load<int16_t>(at)});
  case DType::I32:
    return keyOf(int64_t{load<int32_t>(at)});
  case DType::I64:
    return keyOf(load<int64_t>(at));
  case DType::I1:
  case DType::U8:
    return keyOf(int64_t{load<uint8_t>(at)});
  }
  return 0;
}

struct Entry {
  uint64_t key;
  int64_t index;
  bool operator<(const Entry &other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

class Sort : public LibraryKernel {
public:
  Sort(const LibraryCallInfo &call, size_t dim, int64_t kept, bool descending,
       const Threads &threads)
      : threads(threads), dtype(call.operands[0].dtype), extent(call.operands[0].shape[dim]),
        kept(kept), descending(descending) {
    for (size_t i = 0; i < 3; ++i)
      along[i] = call.operands[i].strides[dim];
    for (size_t d = 0; d < call.operands[0].shape.size(); ++d) {
      if (d == dim)
        continue;
      rows *= call.operands[0].shape[d];
      extents.push_back(call.operands[0].shape[d]);
      for (size_t i = 0; i < 3; ++i)
        outer[i].push_back(call.operands[i].strides[d]);
    }
    if (kept == 0)
      rows = 0;
    perThread = roundUp(static_cast<size_t>(extent) * sizeof(Entry), 64);
    // Fewer rows than threads are never cut further.
    if (rows > 0)
      total = perThread * static_cast<size_t>(std::min<int64_t>(rows, threads.count()));
  }

  size_t workspaceBytes() const override { return total; }

  void run(void *const *operands, std::byte *workspace) override {
    threads.parallelFor(rows, 1, [&](int64_t begin, int64_t end, int thread) {
      auto *entries =
          reinterpret_cast<Entry *>(workspace + static_cast<size_t>(thread) * perThread);
      for (int64_t row = begin; row < end; ++row)
        sortRow(row, operands, entries);
    });
  }

private:
  void sortRow(int64_t row, void *const *operands, Entry *entries) const {
    int64_t offset[3] = {0, 0, 0};
    for (size_t d = extents.size(); d-- > 0; row /= extents[d])
      for (size_t i = 0; i < 3; ++i)
        offset[i] += row % extents[d] * outer[i][d];
    const auto size = static_cast<int64_t>(sizeOf(dtype));
    const auto *x = static_cast<const std::byte *>(operands[0]) + offset[0] * size;
    auto *values = static_cast<std::byte *>(operands[1]) + offset[1] * size;
    auto *indices = static_cast<int64_t *>(operands[2]) + offset[2];
    for (int64_t i = 0; i < extent; ++i) {
      const uint64_t key = keyAt(x + i * along[0] * size, dtype);
      entries[i] = {descending ? ~key : key, i};
    }
    if (kept < extent)
      std::nth_element(entries, entries + kept, entries + extent);
    std::sort(entries, entries + kept);
    for (int64_t i = 0; i < kept; ++i) {
      std::memcpy(values + i * along[1] * size, x + entries[i].index * along[0] * size,
                  static_cast<size_t>(size));
      indices[i * along[2]] = entries[i].index;
    }
  }

  const Threads &threads;
  DType dtype;
  int64_t extent, kept, rows = 1;
  bool descending;
  int64_t along[3]; // strides along the sorted dimension: x, values, indices
  std::vector<int64_t> extents, outer[3];
  size_t perThread = 0, total = 0;
};

/// Checks operands (x) -> (values, indices), which equal x but for `kept` elements along `dim`.
void check(const LibraryCallInfo &call, int64_t dim, int64_t kept) {
  auto fail = [&](const std::string &what) {
    throw InvalidFileError(fmt::format("{}: {}", call.name, what));
  };
  const OperandInfo &x = call.operands[0];
  if (x.numElements() > kMaxLibraryElements)
    fail(fmt::format("expected at most {} elements, but got {}", kMaxLibraryElements,
                     x.numElements()));
  std::vector<int64_t> shape(x.shape.begin(), x.shape.end());
  shape[static_cast<size_t>(dim)] = kept;
  for (const OperandInfo &result : call.results())
    if (!std::ranges::equal(result.shape, shape))
      fail(fmt::format("expected results of shape [{}], but got [{}]", fmt::join(shape, ", "),
                       fmt::join(result.shape, ", ")));
  if (call.operands[1].dtype != x.dtype || call.operands[2].dtype != DType::I64)
    fail(fmt::format("expected results of {} and i64, but got {} and {}", nameOf(x.dtype),
                     nameOf(call.operands[1].dtype), nameOf(call.operands[2].dtype)));
}

void checkCounts(const LibraryCallInfo &call) {
  if (call.ints.size() != 2 || call.operands.size() != 3 || call.numResults != 2)
    throw InvalidFileError(fmt::format(
        "{}: expected 2 integers, 1 operand and 2 results, but got {}, {} and {}", call.name,
        call.ints.size(), call.operands.size() - call.numResults, call.numResults));
}

size_t checkDim(const LibraryCallInfo &call, int64_t dim) {
  if (dim < 0 || static_cast<size_t>(dim) >= call.operands[0].shape.size())
    throw InvalidFileError(fmt::format("{}: expected a dimension below {}, but got {}", call.name,
                                       call.operands[0].shape.size(), dim));
  return static_cast<size_t>(dim);
}

} // namespace

std::unique_ptr<LibraryKernel> prepareSort(const LibraryCallInfo &call,
                                           const KernelContext &context) {
  checkCounts(call);
  const size_t dim = checkDim(call, call.ints[0]);
  const int64_t extent = call.operands[0].shape[dim];
  check(call, call.ints[0], extent);
  return std::make_unique<Sort>(call, dim, extent, call.ints[1] != 0, context.threads);
}

std::unique_ptr<LibraryKernel> prepareTopK(const LibraryCallInfo &call,
                                           const KernelContext &context) {
  checkCounts(call);
  const size_t dim = checkDim(call, call.ints[1]);
  const int64_t k = call.ints[0], extent = call.operands[0].shape[dim];
  if (k < 0 || k > extent)
    throw InvalidFileError(
        fmt::format("{}: expected k between 0 and {}, but got {}", call.name, extent, k));
  check(call, call.ints[1], k);
  return std::make_unique<Sort>(call, dim, k, true, context.threads);
}

} // namespace raf::runtime
