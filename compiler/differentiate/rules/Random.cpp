#include "compiler/differentiate/rules/Rule.h"

using namespace mlir;

namespace raf {

void attachRandomRules(MLIRContext *c) {
  zeroDerivative<UniformOp, NormalOp>(c);
  // The same key and id drop the same elements: no mask is saved.
  rule<DropoutOp, [](DropoutOp op, Vjp &v) {
    v.give(0, v.make<DropoutOp>(op.getType(), v.g(), op.getKey(), op.getPAttr(), op.getIdAttr()));
  }>(c);
}

} // namespace raf
