#include "runtime/kernels/cpu/Contraction.h"

#include "common/Error.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace raf::runtime {
namespace {

template <class... Args>
[[noreturn]] void fail(const LibraryCallInfo &call, fmt::format_string<Args...> what,
                       Args &&...args) {
  throw InvalidFileError(
      fmt::format("{}: {}", call.name, fmt::format(what, std::forward<Args>(args)...)));
}

/// Stride of `operand` along batch dimension `dim` of a result with `rank` dimensions of that
/// extent; operands align to the right, as NumPy broadcasts.
int64_t batchStride(const LibraryCallInfo &call, const OperandInfo &operand, size_t rank,
                    size_t dim, int64_t extent) {
  const size_t missing = rank - operand.shape.size();
  if (dim < missing)
    return 0;
  const int64_t own = operand.shape[dim - missing];
  if (own != extent && own != 1)
    fail(call, "expected a batch extent of {} or 1, but got {}", extent, own);
  return own == 1 ? 0 : operand.strides[dim - missing];
}

/// Neighbours that every operand walks as one.
void mergeBatch(std::vector<Contraction::Batch> &batch) {
  for (size_t i = batch.size(); i-- > 1;) {
    Contraction::Batch &outer = batch[i - 1];
    const Contraction::Batch &inner = batch[i];
    if (outer.a != inner.a * inner.extent || outer.b != inner.b * inner.extent ||
        outer.c != inner.c * inner.extent || outer.accumulator != inner.accumulator * inner.extent)
      continue;
    outer = {outer.extent * inner.extent, inner.a, inner.b, inner.c, inner.accumulator};
    batch.erase(batch.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// (B, M, K) x (K, N) is one product of B M rows.
void foldBatchIntoRows(Contraction &p) {
  while (!p.batch.empty()) {
    const Contraction::Batch &inner = p.batch.back();
    auto continues = [&](int64_t batchStride, int64_t &row) {
      if (p.m == 1)
        row = batchStride;
      return batchStride != 0 && batchStride == row * p.m;
    };
    Contraction folded = p;
    if (inner.b != 0 || !continues(inner.a, folded.a.row) || !continues(inner.c, folded.c.row) ||
        (p.hasAccumulator && !continues(inner.accumulator, folded.accumulator.row)))
      return;
    folded.m *= inner.extent;
    folded.batch.pop_back();
    p = std::move(folded);
  }
}

} // namespace

Contraction readContraction(const LibraryCallInfo &call) {
  if (call.ints.size() != 2 || call.numResults != 1)
    fail(call, "expected 2 integers and 1 result, but got {} and {}", call.ints.size(),
         call.numResults);
  Contraction p;
  p.hasBias = call.ints[0] != 0;
  p.hasAccumulator = call.ints[1] != 0;
  const size_t expected = size_t{3} + p.hasBias + p.hasAccumulator;
  if (call.operands.size() != expected)
    fail(call, "expected {} operands, but got {}", expected, call.operands.size());
  const OperandInfo &a = call.operands[0], &b = call.operands[1], &c = call.operands.back();
  const OperandInfo *bias = p.hasBias ? &call.operands[2] : nullptr;
  const OperandInfo *accumulator =
      p.hasAccumulator ? &call.operands[call.operands.size() - 2] : nullptr;

  p.dtype = c.dtype;
  for (const OperandInfo &operand : call.operands) {
    if (!isFloat(operand.dtype) || operand.dtype != p.dtype)
      fail(call, "expected operands of one float type, but got {} and {}", nameOf(operand.dtype),
           nameOf(p.dtype));
    if (operand.numElements() > kMaxLibraryElements)
      fail(call, "expected at most {} elements, but got {}", kMaxLibraryElements,
           operand.numElements());
  }
  const size_t rank = c.shape.size();
  if (a.shape.size() < 2 || b.shape.size() < 2 || rank != std::max(a.shape.size(), b.shape.size()))
    fail(call,
         "expected operands of rank >= 2 and a result of the greater rank, but got {}, {} and {}",
         a.shape.size(), b.shape.size(), rank);
  auto matrix = [](const OperandInfo &operand) {
    const size_t r = operand.strides.size();
    return Contraction::Matrix{operand.strides[r - 2], operand.strides[r - 1]};
  };
  p.m = c.shape[rank - 2];
  p.n = c.shape[rank - 1];
  p.k = a.shape.back();
  const int64_t rowsA = a.shape[a.shape.size() - 2], rowsB = b.shape[b.shape.size() - 2];
  if (rowsA != p.m || rowsB != p.k || b.shape.back() != p.n)
    fail(call,
         "expected ({0}, K) x (K, {1}) for a result of ({0}, {1}), but got ({2}, {3}) x ({4}, {5})",
         p.m, p.n, rowsA, p.k, rowsB, b.shape.back());
  if (bias && (bias->shape.size() != 1 || bias->shape[0] != p.n))
    fail(call, "expected a bias of shape [{}], but got [{}]", p.n, fmt::join(bias->shape, ", "));
  if (accumulator && !std::ranges::equal(accumulator->shape, c.shape))
    fail(call, "expected an accumulator of shape [{}], but got [{}]", fmt::join(c.shape, ", "),
         fmt::join(accumulator->shape, ", "));

  p.a = matrix(a);
  p.b = matrix(b);
  p.c = matrix(c);
  if (bias)
    p.biasStride = bias->strides[0];
  if (accumulator) {
    p.accumulator = matrix(*accumulator);
    p.inPlace = accumulator->place.space() == c.place.space() &&
                accumulator->place.offset() == c.place.offset();
    if (p.inPlace && !std::ranges::equal(accumulator->strides, c.strides))
      fail(call, "expected an accumulator in the result's place to have its strides");
  }
  for (size_t i = 0; i + 2 < rank; ++i) {
    const int64_t extent = c.shape[i];
    const Contraction::Batch dim{extent, batchStride(call, a, rank, i, extent),
                                 batchStride(call, b, rank, i, extent), c.strides[i],
                                 accumulator ? accumulator->strides[i] : 0};
    if (extent != 1)
      p.batch.push_back(dim);
  }
  mergeBatch(p.batch);
  foldBatchIntoRows(p);
  return p;
}

bool makeDense(int64_t rows, int64_t columns, Contraction::Matrix &matrix) {
  if (columns == 1 && (rows == 1 || matrix.row >= 1))
    matrix = {rows == 1 ? 1 : matrix.row, 1};
  else if (rows == 1 && matrix.column >= 1)
    matrix.row = matrix.column == 1 ? columns : 1;
  return (matrix.column == 1 && matrix.row >= columns) ||
         (matrix.row == 1 && matrix.column >= rows);
}

} // namespace raf::runtime
