#include "common/HalfFloat.h"
#include "runtime/kernels/cpu/Strided.h"
#include "runtime/session/Program.h"

#include <cmath>

namespace raf::runtime {

NonFinite firstNonFinite(const void *data, const OperandInfo &operand) {
  NonFinite found;
  const int64_t count = operand.numElements();
  withFloatType(operand.dtype, [&]<class T>(T) {
    const T *base = static_cast<const T *>(data);
    const size_t rank = operand.shape.size();
    const int64_t inner = rank > 0 ? operand.shape.back() : 1;
    const int64_t stride = rank > 0 ? operand.strides.back() : 1;
    for (int64_t row = 0; row < count; row += inner) {
      int64_t offset = 0, index = row / inner;
      for (size_t d = rank; d-- > 1; index /= operand.shape[d - 1])
        offset += index % operand.shape[d - 1] * operand.strides[d - 1];
      for (int64_t i = 0; i < inner; ++i) {
        using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
        const auto value = static_cast<Wide>(base[offset + i * stride]);
        if (!std::isfinite(value)) {
          found = {row + i, std::isnan(value)};
          return;
        }
      }
    }
  });
  return found;
}

} // namespace raf::runtime
