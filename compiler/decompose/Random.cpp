#include "compiler/decompose/Term.h"

namespace raf::decompose {
namespace {

Terms dropout(DropoutOp op, const Term &x) {
  double p = op.getP().convertToDouble();
  if (p == 0)
    return {x};
  if (p == 1) // 1 / (1 - p) is no number
    return {x.like(0)};
  Term kept = x.uniform(op.getKey(), op.getId()).compare(CompareKind::ge, p);
  return {kept.select(x.wide() * (1 / (1 - p)), 0.0)};
}

} // namespace

void attachRandom(mlir::MLIRContext &context) { attach<DropoutOp, dropout>(context); }

} // namespace raf::decompose
