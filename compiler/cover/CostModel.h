// Predicted seconds of a kernel: what the cover compares.
#pragma once

#include "mlir/IR/Operation.h"

#include "llvm/ADT/StringMap.h"

namespace raf::cover {

/// The machine as the cost model sees it; the rates are those of all threads together.
struct Machine {
  double bandwidth = 14e9;      // bytes/s to and from memory
  double cacheBandwidth = 80e9; // bytes/s to and from the last-level cache
  int64_t cacheBytes = 4 << 20; // what a tensor may take and still be found in the cache
  double matrixRate = 165e9;    // float32 FLOP/s of a matrix kernel that runs at the core's peak
  double vectorRate = 40e9;     // simple float32 operations per second of generated loops
  double launch = 4e-6;         // seconds from one kernel's end to the next one's start
  bool bf16 = false;            // has matrix units for bf16 and f16

  /// Two threads of an AVX2 core are the defaults; vectors of 64 bytes double the rates.
  static Machine with(int threads, int vectorBytes, bool bf16);
};

class CostModel {
public:
  explicit CostModel(const Machine &machine) : machine(machine) {}

  /// `kernel:factor,...`; fails with `error` set when it does not read so.
  bool setFactors(llvm::StringRef list, std::string &error);

  const Machine &getMachine() const { return machine; }
  /// Seconds to read or write a value once.
  double move(mlir::Type type) const;
  /// Seconds of the arithmetic of one op of a generated loop, alone.
  double compute(mlir::Operation *op) const;
  /// Seconds of a matrix kernel ("onednn.matmul") of so much arithmetic and traffic.
  double matrix(llvm::StringRef kernel, mlir::Type element, double flops, double moveSeconds) const;
  /// Seconds of a kernel whose arithmetic and traffic overlap.
  double kernel(llvm::StringRef kernel, double computeSeconds, double moveSeconds) const;

private:
  double factor(llvm::StringRef kernel) const;
  double matrixRate(bool library, mlir::Type element) const;

  Machine machine;
  llvm::StringMap<double> factors;
};

/// Vector instructions per element, roughly: 1 for an addition, 20 for a tanh.
double opWeight(mlir::Operation *op);

} // namespace raf::cover
