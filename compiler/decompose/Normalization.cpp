#include "compiler/decompose/Term.h"

namespace raf::decompose {
namespace {

Terms softmax(SoftmaxOp op, const Term &operand) {
  Term x = operand.wide();
  llvm::SmallVector<int64_t> dim{static_cast<int64_t>(op.getDim())};
  Term exponentials = exp(x - x.max(dim).over(dim, x.shape()));
  return {exponentials / exponentials.sum(dim).over(dim, x.shape())};
}

Terms logSoftmax(LogSoftmaxOp op, const Term &operand) {
  Term x = operand.wide();
  llvm::SmallVector<int64_t> dim{static_cast<int64_t>(op.getDim())};
  Term shifted = x - x.max(dim).over(dim, x.shape());
  return {shifted - log(exp(shifted).sum(dim)).over(dim, x.shape())};
}

llvm::SmallVector<int64_t> lastDims(const Term &x, int64_t axes) {
  return llvm::to_vector(llvm::seq<int64_t>(x.rank() - axes, x.rank()));
}

Terms layerNorm(LayerNormOp op, const Term &operand) {
  Term x = operand.wide();
  llvm::SmallVector<int64_t> dims = lastDims(x, op.getAxes());
  Term mu = mean(x, dims);
  Term centred = x - mu.over(dims, x.shape());
  Term rstd = rsqrt(mean(centred * centred, dims) + op.getEps().convertToDouble());
  Term result = centred * rstd.over(dims, x.shape());
  if (op.getWeight())
    result = result * x.with(op.getWeight()).wide().to(x.shape());
  if (op.getBias())
    result = result + x.with(op.getBias()).wide().to(x.shape());
  return {result, mu, rstd};
}

Terms rmsNorm(RmsNormOp op, const Term &operand) {
  Term x = operand.wide();
  llvm::SmallVector<int64_t> dims = lastDims(x, op.getAxes());
  Term rstd = rsqrt(mean(x * x, dims) + op.getEps().convertToDouble());
  Term result = x * rstd.over(dims, x.shape());
  if (op.getWeight())
    result = result * x.with(op.getWeight()).wide().to(x.shape());
  return {result, rstd};
}

} // namespace

void attachNormalization(mlir::MLIRContext &context) {
  attach<SoftmaxOp, softmax>(context);
  attach<LogSoftmaxOp, logSoftmax>(context);
  attach<LayerNormOp, layerNorm>(context);
  attach<RmsNormOp, rmsNorm>(context);
}

} // namespace raf::decompose
