#include "compiler/differentiate/rules/Rule.h"

namespace raf {

// Updates end a training step; differentiating through one is an error, not a zero.
void attachOptimizerRules(mlir::MLIRContext *c) {
  refuseDerivative<SgdOp, SgdMomentumOp, AdamOp, LambOp, LansOp, AdagradOp, RmspropOp, LionOp>(c);
}

} // namespace raf
