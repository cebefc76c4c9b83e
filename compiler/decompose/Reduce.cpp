#include "compiler/decompose/Term.h"

namespace raf::decompose {
namespace {

Terms meanOf(MeanOp op, const Term &x) { return {mean(x.wide(), op.getDims())}; }

Terms logSumExp(LogSumExpOp op, const Term &x) {
  auto [top, exponentials, sum] = shiftedExponentials(x.wide(), op.getDims());
  return {top + log(sum)};
}

// Two sweeps: the mean, then the squares of what differs from it.
Terms variance(VarOp op, const Term &operand) {
  Term x = operand.wide();
  llvm::ArrayRef<int64_t> dims = op.getDims();
  int64_t count = 1;
  for (int64_t d : dims)
    count *= x.shape()[d];
  Term centred = x - mean(x, dims).over(dims, x.shape());
  // As PyTorch's: too few samples for the correction divide by 0.
  double divisor = static_cast<double>(std::max<int64_t>(0, count - op.getCorrection()));
  return {(centred * centred).sum(dims) / divisor};
}

} // namespace

void attachReduce(mlir::MLIRContext &context) {
  attach<MeanOp, meanOf>(context);
  attach<LogSumExpOp, logSumExp>(context);
  attach<VarOp, variance>(context);
}

} // namespace raf::decompose
