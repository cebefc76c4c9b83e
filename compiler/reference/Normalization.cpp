// Straight from the definitions, in double: an oracle that does not share the decompositions'
// formulas.
#include "compiler/reference/Models.h"

#include <cmath>

using namespace mlir;

namespace raf::reference {
namespace {

template <typename Op, bool logarithm>
LogicalResult softmax(Op op, Operands operands, Results results) {
  const HostTensor &x = operands[0];
  Lines lines(x.shape(), op.getDim());
  for (int64_t o = 0; o < lines.outer; ++o)
    for (int64_t i = 0; i < lines.inner; ++i) {
      double top = -INFINITY, sum = 0;
      for (int64_t k = 0; k < lines.extent; ++k)
        top = std::fmax(top, x.floats()[lines.at(o, k, i)]);
      for (int64_t k = 0; k < lines.extent; ++k)
        sum += std::exp(x.floats()[lines.at(o, k, i)] - top);
      for (int64_t k = 0; k < lines.extent; ++k) {
        double shifted = x.floats()[lines.at(o, k, i)] - top;
        results[0].setFloat(lines.at(o, k, i),
                            logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum);
      }
    }
  return success();
}

LogicalResult layerNorm(LayerNormOp op, Operands operands, Results results) {
  const HostTensor &x = operands[0];
  const HostTensor *weight = op.getWeight() ? &operands[1] : nullptr;
  const HostTensor *bias = op.getBias() ? &operands.back() : nullptr;
  int64_t rows = results[1].size();
  int64_t width = 1;
  for (int64_t extent : x.shape().take_back(op.getAxes()))
    width *= extent;
  for (int64_t r = 0; r < rows; ++r) {
    llvm::ArrayRef<double> row = x.floats().slice(r * width, width);
    double mean = 0, variance = 0;
    for (double e : row)
      mean += e;
    mean /= static_cast<double>(width);
    for (double e : row)
      variance += (e - mean) * (e - mean);
    variance /= static_cast<double>(width);
    double rstd = 1 / std::sqrt(variance + op.getEps().convertToDouble());
    for (int64_t i = 0; i < width; ++i)
      results[0].setFloat(r * width + i,
                          (row[i] - mean) * rstd * (weight ? weight->floats()[i] : 1) +
                              (bias ? bias->floats()[i] : 0));
    results[1].setFloat(r, mean);
    results[2].setFloat(r, rstd);
  }
  return success();
}

} // namespace

void attachNormalization(MLIRContext &c) {
  attach<SoftmaxOp, softmax<SoftmaxOp, false>>(c);
  attach<LogSoftmaxOp, softmax<LogSoftmaxOp, true>>(c);
  attach<LayerNormOp, layerNorm>(c);
}

} // namespace raf::reference
