// Compiles the text of one gen.kernel, maps its machine code as the runtime does and runs it.
#pragma once

#include "compiler/lower/to_loops/Codegen.h"

#include "mlir/IR/OwningOpRef.h"

#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

namespace raf::test {

/// Bytes of one tensor: inputs are read through their strides, results are contiguous.
using Bytes = std::vector<std::byte>;

template <class T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T> std::vector<T> valuesOf(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

class Kernel {
public:
  /// `text` is a gen.kernel whose inputs are %0, %1, ...: only the part after "gen.kernel ".
  /// `inputTypes` are those of %0, %1, ....
  explicit Kernel(const std::string &text, const std::string &cpu = "native",
                  gen::InputStrides strides = {});

  /// Runs all work items, split into `splits` ranges.
  std::vector<Bytes> run(const std::vector<Bytes> &inputs, int splits = 1) const;
  template <class T> std::vector<T> run1(const std::vector<Bytes> &inputs, int splits = 1) const {
    return valuesOf<T>(run(inputs, splits).front());
  }

  gen::KernelCode code;
  gen::MachineCode machineCode;
  std::string error; // the diagnostic when there is no kernel
  gen::KernelOp op() const;
  gen::InputStrides strides;

private:
  std::shared_ptr<mlir::MLIRContext> context;
  std::shared_ptr<mlir::OwningOpRef<mlir::ModuleOp>> module;
};

/// The processors that can run here among avx2 and avx512.
std::vector<std::string> runnableCpus();

/// A deterministic sample of n numbers in [low, high).
std::vector<float> sample(size_t n, float low = -2, float high = 2, unsigned seed = 1);

} // namespace raf::test
