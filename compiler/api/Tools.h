// The compiler for tests and tools: IR as text, tensors as plain memory. No MLIR type shows here.
// Everything throws Error with the first diagnostic as its message.
#pragma once

#include "common/DType.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace raf::tools {

struct ArrayType {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
};

/// A tensor that the caller owns: contiguous, elements in memory as DType says.
struct ArrayView {
  ArrayType type;
  std::span<const std::byte> bytes;
};

struct Array {
  ArrayType type;
  std::vector<std::byte> bytes;
};

struct Signature {
  std::vector<ArrayType> arguments, results;
};

/// Runs a pass pipeline on the module ("func.func(cse)", "raf-decompose{ops=softmax}"; empty: only
/// parses and verifies) and prints the result.
std::string transform(const std::string &module, const std::string &pipeline);

/// Types of a function of the module.
Signature signature(const std::string &module, const std::string &function);

/// Evaluates a function of the module with the reference interpreter. `float64` computes all float
/// types in double and gives F64 results; else each op is rounded to its type.
std::vector<Array> evaluate(const std::string &module, const std::string &function,
                            std::span<const ArrayView> arguments, bool float64);

/// One op of the dialects and the interfaces it has.
struct OpInfo {
  std::string name;
  std::vector<std::string> interfaces;
};
/// Every op of the raf, gen, onednn and rt dialects, by name.
std::vector<OpInfo> registeredOps();

} // namespace raf::tools
