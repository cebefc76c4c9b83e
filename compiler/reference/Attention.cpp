// Attention from its definition, one query at a time, in double.
#include "common/Philox.h"
#include "compiler/reference/Models.h"

#include <cmath>

using namespace mlir;

namespace raf::reference {
namespace {

LogicalResult attention(AttentionOp op, Operands operands, Results results) {
  const HostTensor &q = operands[0], &k = operands[1], &v = operands[2];
  const HostTensor *mask = op.getMask() ? &operands[3] : nullptr;
  llvm::SmallVector<int64_t> maskStrides(4, 0);
  if (mask) {
    llvm::SmallVector<int64_t> own = rowMajorStrides(mask->shape());
    for (int d = 0; d < 4; ++d)
      maskStrides[d] = mask->shape()[d] == 1 ? 0 : own[d];
  }
  double scale = op.getScale().convertToDouble(), p = op.getDropout().convertToDouble();
  philox::Stream stream;
  if (p > 0)
    stream = {static_cast<uint64_t>(operands.back().ints()[0]),
              static_cast<uint64_t>(operands.back().ints()[1]), static_cast<uint32_t>(op.getId())};
  int64_t heads = q.shape()[1], length = q.shape()[2], keys = k.shape()[2];
  int64_t size = q.shape()[3], sizeV = v.shape()[3];
  int64_t group = k.shape()[1] == 0 ? 1 : heads / k.shape()[1];
  int64_t row = 0;
  for (int64_t b = 0; b < q.shape()[0]; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t t = 0; t < length; ++t, ++row) {
        const double *query = q.floats().data() + row * size;
        int64_t head = b * k.shape()[1] + h / group;
        std::vector<double> s(keys);
        double top = -INFINITY, sum = 0;
        for (int64_t j = 0; j < keys; ++j) {
          const double *key = k.floats().data() + (head * keys + j) * size;
          for (int64_t d = 0; d < size; ++d)
            s[j] += query[d] * key[d];
          s[j] *= scale;
          if (mask) {
            int64_t at =
                b * maskStrides[0] + h * maskStrides[1] + t * maskStrides[2] + j * maskStrides[3];
            if (mask->isFloat())
              s[j] += mask->floats()[at];
            else if (!mask->ints()[at])
              s[j] = -INFINITY;
          }
          if (op.getCausal() && j > t)
            s[j] = -INFINITY;
          top = std::fmax(top, s[j]);
        }
        if (top == -INFINITY && llvm::none_of(s, [](double x) { return std::isnan(x); })) {
          results[1].setFloat(row, -INFINITY); // sees no key; the output stays 0
          continue;
        }
        for (double x : s)
          sum += std::exp(x - top);
        std::vector<double> out(sizeV, 0.0);
        for (int64_t j = 0; j < keys; ++j) {
          double weight = std::exp(s[j] - top) / sum;
          if (p > 0) {
            bool kept = philox::uniform(stream, static_cast<uint64_t>(row * keys + j)) >=
                        static_cast<float>(p);
            weight = kept ? weight / (1 - p) : 0;
          }
          for (int64_t d = 0; d < sizeV; ++d)
            out[d] += weight * v.floats()[(head * keys + j) * sizeV + d];
        }
        for (int64_t d = 0; d < sizeV; ++d)
          results[0].setFloat(row * sizeV + d, out[d]);
        results[1].setFloat(row, top + std::log(sum));
      }
  return success();
}

} // namespace

void attachAttention(MLIRContext &c) { attach<AttentionOp, attention>(c); }

} // namespace raf::reference
