// A matrix product in its simplest form: what is left of the operands of a matmul call once batch
// dimensions are merged and folded.
#pragma once

#include "runtime/kernels/cpu/LibraryKernel.h"

#include <cstdint>
#include <vector>

namespace raf::runtime {

/// c[batch, i, j] = sum over p of a[batch, i, p] b[batch, p, j] (+ bias[j]) (+ accumulator[batch,
/// i, j])
struct Contraction {
  struct Matrix {
    int64_t row = 0, column = 0; // strides in elements
  };
  struct Batch {
    int64_t extent, a, b, c, accumulator; // strides in elements, 0 where broadcast
  };

  DType dtype;
  int64_t m, n, k;
  Matrix a, b, c, accumulator;
  std::vector<Batch> batch;
  int64_t biasStride = 1;
  bool hasBias = false, hasAccumulator = false;
  bool inPlace = false; // the accumulator lies where c lies

  int64_t batches() const {
    int64_t count = 1;
    for (const Batch &dim : batch)
      count *= dim.extent;
    return count;
  }
};

/// Reads the operands (a, b, bias?, accumulator?, c) of `call`, whose integers say which of the two
/// optional ones are there. Throws InvalidFileError when they do not fit each other.
Contraction readContraction(const LibraryCallInfo &call);

/// Makes strides of extent 1 harmless; says whether a BLAS-like library can read the matrix: one
/// dimension contiguous and the other's stride covering it.
bool makeDense(int64_t rows, int64_t columns, Contraction::Matrix &matrix);

} // namespace raf::runtime
