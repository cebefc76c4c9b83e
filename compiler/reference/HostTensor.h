// Tensors of the reference interpreter.
#pragma once

#include "common/DType.h"

#include "compiler/ir/Interfaces.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace raf {

/// `value` rounded to a float dtype: to nearest even, the 16-bit types by way of float32, as
/// compiled code does.
double roundTo(DType dtype, double value);
/// `value` wrapped to an integer dtype.
int64_t wrapTo(DType dtype, int64_t value);

/// A contiguous tensor. Whatever its dtype, floats are held as doubles that the dtype represents
/// and integers as int64, so that an op is written once. Copies share their elements; only the op
/// that made a tensor writes to it.
class HostTensor {
public:
  /// More elements than any test of an oracle needs; a module that asks for more is refused.
  static constexpr int64_t kMaxElements = int64_t{1} << 28;

  HostTensor() = default;
  /// Zeros. `shape` has at most kMaxElements elements.
  HostTensor(DType dtype, llvm::ArrayRef<int64_t> shape);
  /// From elements as they lie in memory.
  HostTensor(DType dtype, llvm::ArrayRef<int64_t> shape, const void *bytes);

  DType dtype() const { return type; }
  bool isFloat() const { return raf::isFloat(type); }
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  int64_t rank() const { return static_cast<int64_t>(extents.size()); }
  int64_t size() const { return count; }

  llvm::ArrayRef<double> floats() const { return elements->floats; }
  llvm::ArrayRef<int64_t> ints() const { return elements->ints; }
  /// Element `i`, whatever its kind.
  double number(int64_t i) const {
    return isFloat() ? elements->floats[i] : static_cast<double>(elements->ints[i]);
  }

  /// Rounds to the dtype.
  void setFloat(int64_t i, double value) { elements->floats[i] = roundTo(type, value); }
  void setInt(int64_t i, int64_t value) { elements->ints[i] = wrapTo(type, value); }
  /// Element `i` from element `j` of a tensor of the same kind.
  void copy(int64_t i, const HostTensor &from, int64_t j) {
    if (isFloat())
      setFloat(i, from.floats()[j]);
    else
      setInt(i, from.ints()[j]);
  }

  /// The same elements in the same order.
  HostTensor reshaped(llvm::ArrayRef<int64_t> shape) const;
  /// Floats as another float dtype; integers stay.
  HostTensor withFloats(DType dtype) const;
  /// Writes the elements as they lie in memory: size() * sizeOf(dtype()) bytes.
  void write(void *bytes) const;

private:
  struct Elements {
    std::vector<double> floats;
    std::vector<int64_t> ints;
  };
  DType type = DType::F32;
  llvm::SmallVector<int64_t> extents;
  int64_t count = 0;
  std::shared_ptr<Elements> elements;
};

} // namespace raf
