// Cross entropy from its definition, one sample at a time, in double.
#include "compiler/reference/Models.h"

#include <cmath>

using namespace mlir;

namespace raf::reference {
namespace {

LogicalResult crossEntropy(CrossEntropyOp op, Operands operands, Results results) {
  const HostTensor &logits = operands[0], &labels = operands[1];
  const HostTensor *weights = op.getWeight() ? &operands[2] : nullptr;
  int64_t samples = logits.shape()[0], classes = logits.shape()[1];
  double smoothing = op.getLabelSmoothing().convertToDouble(), total = 0, divisor = 0;
  for (int64_t n = 0; n < samples; ++n) {
    llvm::ArrayRef<double> row = logits.floats().slice(n * classes, classes);
    double top = -INFINITY, sum = 0;
    for (double x : row)
      top = std::fmax(top, x);
    if (!std::isfinite(top))
      top = 0;
    for (double x : row)
      sum += std::exp(x - top);
    double logSum = std::log(sum);
    results[1].setFloat(n, top + logSum);

    int64_t label = labels.ints()[n];
    double loss = 0;
    if (label != static_cast<int64_t>(op.getIgnoreIndex())) {
      if (failed(checkIndex(op, label, classes)))
        return failure();
      auto weight = [&](int64_t c) { return weights ? weights->floats()[c] : 1.0; };
      auto negativeLog = [&](int64_t c) { return logSum - (row[c] - top); };
      loss = (1 - smoothing) * weight(label) * negativeLog(label);
      for (int64_t c = 0; smoothing > 0 && c < classes; ++c)
        loss += smoothing / static_cast<double>(classes) * weight(c) * negativeLog(c);
      divisor += weight(label);
    }
    if (op.getReduction() == Reduction::none)
      results[0].setFloat(n, loss);
    total += loss;
  }
  if (op.getReduction() != Reduction::none)
    results[0].setFloat(0, op.getReduction() == Reduction::sum ? total : total / divisor);
  return success();
}

} // namespace

void attachLoss(MLIRContext &c) { attach<CrossEntropyOp, crossEntropy>(c); }

} // namespace raf::reference
