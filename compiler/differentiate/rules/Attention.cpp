#include "compiler/differentiate/rules/Rule.h"

using namespace mlir;

namespace raf {

void attachAttentionRules(MLIRContext *c) {
  // A mask that needs a gradient, and logsumexp used by something else (as second derivatives do),
  // go through the decomposition: attention_grad knows neither.
  partialRule<AttentionOp,
              [](AttentionOp op, llvm::ArrayRef<bool> needed, llvm::ArrayRef<bool> live) {
                return !live[1] && !(op.getMask() && needed[3]);
              },
              [](AttentionOp op, Vjp &v) {
                auto grad = v.b.create<AttentionGradOp>(
                    v.loc, op.getQ(), op.getK(), op.getV(), op.getResult(), op.getLogsumexp(),
                    v.g(), op.getMask(), op.getKey(), op.getScaleAttr(), op.getCausalAttr(),
                    op.getDropoutAttr(), op.getIdAttr());
                for (unsigned i = 0; i < 3; ++i)
                  if (v.needs(i))
                    v.give(i, grad->getResult(i));
              }>(c);
  partialRule<AttentionGradOp,
              [](AttentionGradOp, llvm::ArrayRef<bool>, llvm::ArrayRef<bool>) { return false; },
              [](AttentionGradOp, Vjp &) {}>(c);
}

} // namespace raf
