// What this runtime uses of oneDNN, in its terms: a matrix product prepared for fixed shapes and
// strides.
#pragma once

#include "common/DType.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace raf::runtime {

/// dst = a b (+ bias) (+ dst). All operands have the same rank >= 2; batch extents of a and b may
/// be 1 where dst's is not. Strides in elements.
struct MatmulSpec {
  struct Operand {
    std::vector<int64_t> shape, strides;
  };
  Operand a, b, dst; // (..., M, K), (..., K, N), (..., M, N)
  DType dtype = DType::F32;
  bool bias = false;       // (N), contiguous
  bool accumulate = false; // adds what dst holds
  int threads = 1;         // of each run
};

class OneDnnMatmul {
public:
  /// Null when oneDNN has no optimised implementation for `spec` on this machine.
  static std::unique_ptr<OneDnnMatmul> create(const MatmulSpec &spec);
  ~OneDnnMatmul();
  OneDnnMatmul(const OneDnnMatmul &) = delete;
  OneDnnMatmul &operator=(const OneDnnMatmul &) = delete;

  size_t scratchBytes() const;
  const char *implementation() const;

  /// The memory handles of one caller; several may run the same product at the same time, each with
  /// its own.
  class Call {
  public:
    explicit Call(const OneDnnMatmul &product);
    ~Call();
    Call(Call &&) noexcept;
    /// `bias` is ignored when the product has none. Returns oneDNN's status, 0 for success: it may
    /// run within a parallel region, which nothing may be thrown out of.
    int run(const void *a, const void *b, const void *bias, void *dst, std::byte *scratch);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl;
  };

private:
  struct Impl;
  explicit OneDnnMatmul(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace raf::runtime
