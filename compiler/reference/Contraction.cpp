#include "compiler/reference/Contraction.h"

#include "compiler/lower/to_onednn/OneDnn.h"

using namespace mlir;

namespace raf::reference {
namespace {

/// Strides of the batch dimensions of an operand in the result's batch dimensions, in elements.
llvm::SmallVector<int64_t> batchStrides(const HostTensor &x, size_t batchRank) {
  llvm::SmallVector<int64_t> own = rowMajorStrides(x.shape()), strides(batchRank, 0);
  size_t rank = own.size() - 2;
  for (size_t i = 0; i < rank; ++i)
    if (x.shape()[i] != 1)
      strides[batchRank - rank + i] = own[i];
  return strides;
}

LogicalResult matmul(MatmulOp op, Operands operands, Results results) {
  std::vector<double> products = multiply(operands[0], operands[1], op.getTransposeA(),
                                          op.getTransposeB(), results[0].shape());
  for (int64_t i = 0; i < results[0].size(); ++i)
    results[0].setFloat(i, products[i]);
  return success();
}

LogicalResult oneDnnMatmul(onednn::MatmulOp op, Operands operands, Results results) {
  HostTensor &to = results[0];
  std::vector<double> sums =
      multiply(operands[0], operands[1], op.getTransposeA(), op.getTransposeB(), to.shape());
  const HostTensor *bias = op.getBias() ? &operands[2] : nullptr;
  const HostTensor *accumulator = op.getAccumulator() ? &operands.back() : nullptr;
  for (int64_t i = 0; i < to.size(); ++i) {
    if (bias)
      sums[i] += bias->floats()[i % to.shape().back()];
    if (accumulator)
      sums[i] += accumulator->floats()[i];
    to.setFloat(i, sums[i]);
  }
  return success();
}

} // namespace

std::vector<double> multiply(const HostTensor &a, const HostTensor &b, bool transposeA,
                             bool transposeB, llvm::ArrayRef<int64_t> shape) {
  llvm::ArrayRef<int64_t> batch = shape.drop_back(2);
  int64_t m = shape[shape.size() - 2], n = shape.back();
  int64_t k = a.shape()[a.rank() - (transposeA ? 2 : 1)];
  int64_t rowA = transposeA ? 1 : k, innerA = transposeA ? m : 1;
  int64_t innerB = transposeB ? 1 : n, columnB = transposeB ? k : 1;
  std::vector<int64_t> startB;
  forEach(batch, 0, batchStrides(b, batch.size()),
          [&](int64_t, int64_t offset) { startB.push_back(offset); });
  std::vector<double> result(static_cast<size_t>(m * n) * startB.size(), 0.0);
  forEach(batch, 0, batchStrides(a, batch.size()), [&](int64_t slice, int64_t startA) {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t p = 0; p < k; ++p) {
        double left = a.floats()[startA + i * rowA + p * innerA];
        const double *right = b.floats().data() + startB[slice] + p * innerB;
        double *sums = result.data() + (slice * m + i) * n;
        for (int64_t j = 0; j < n; ++j)
          sums[j] += left * right[j * columnB];
      }
  });
  return result;
}

void attachContraction(MLIRContext &c) { attach<MatmulOp, matmul>(c); }

void attachOneDnn(MLIRContext &c) { attach<onednn::MatmulOp, oneDnnMatmul>(c); }

} // namespace raf::reference
