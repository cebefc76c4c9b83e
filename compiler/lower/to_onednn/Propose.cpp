#include "compiler/lower/to_onednn/Propose.h"

#include "compiler/ir/Views.h"
#include "compiler/lower/to_onednn/OneDnn.h"

using namespace mlir;

namespace raf::onednn {

namespace {

/// The vector of shape (N) that `x` repeats over rows of N, or null.
Value biasOf(Value x) {
  auto broadcast = x.getDefiningOp<raf::BroadcastOp>();
  if (!broadcast || rankOf(broadcast.getX()) != 1 ||
      broadcast.getDimensions().front() != rankOf(x) - 1 ||
      shapeOf(broadcast.getX()).front() != shapeOf(x).back())
    return {};
  return broadcast.getX();
}

/// The additions that a matmul kernel takes over.
struct Extras {
  Value bias, accumulator;
  llvm::SmallVector<Operation *> ops; // reshapes and additions
};

/// Whether `x` dies at its only user and lies in memory anyway, maybe under another shape. An
/// accumulator is worth it then: the kernel adds in place. Otherwise the addition is cheaper as
/// part of the generated kernels around it.
bool isAccumulator(Value x, const cover::ProposalContext &context) {
  while (x.hasOneUse()) {
    auto reshape = x.getDefiningOp<raf::ReshapeOp>();
    if (!reshape)
      return context.isMaterialized(x);
    x = reshape.getX();
  }
  return false;
}

Extras findExtras(raf::MatmulOp matmul, const cover::ProposalContext &context) {
  Extras extras;
  Value value = matmul.getResult();
  while (value.hasOneUse()) {
    // The gradient of a linear layer's input is a product of matrices under another shape.
    Operation *user = *value.user_begin();
    auto reshape = dyn_cast<raf::ReshapeOp>(user);
    if (reshape && reshape->hasOneUse()) {
      value = reshape.getResult();
      user = *value.user_begin();
    }
    auto add = dyn_cast<raf::AddOp>(user);
    if (!add || context.isClaimed(add))
      break;
    Value other = add.getLhs() == value ? add.getRhs() : add.getLhs();
    Value bias = biasOf(other);
    if (bias && !extras.bias && !extras.accumulator &&
        shapeOf(bias).front() == shapeOf(matmul.getResult()).back())
      extras.bias = bias;
    else if (!extras.accumulator && isAccumulator(other, context))
      extras.accumulator = other;
    else
      break;
    if (reshape)
      extras.ops.push_back(reshape);
    extras.ops.push_back(add);
    value = add;
  }
  return extras;
}

/// `x` under another shape of as many elements.
Value reshaped(OpBuilder &b, Location loc, Value x, Type type) {
  return !x || x.getType() == type ? x : b.create<raf::ReshapeOp>(loc, type, x).getResult();
}

} // namespace

std::optional<cover::Proposal> propose(Operation *op, const cover::ProposalContext &context) {
  auto matmul = dyn_cast<raf::MatmulOp>(op);
  if (!matmul)
    return std::nullopt;
  Extras extras = findExtras(matmul, context);
  cover::Proposal proposal;
  proposal.dialect = "onednn";
  proposal.kernel = "onednn.matmul";
  proposal.ops.push_back(matmul);
  proposal.ops.append(extras.ops);
  proposal.operands = {matmul.getA(), matmul.getB()};
  for (Value extra : {extras.bias, extras.accumulator})
    if (extra)
      proposal.operands.push_back(extra);
  double move = context.costs.move(matmul.getResult().getType());
  for (Value operand : proposal.operands)
    move += context.costs.move(operand.getType());
  proposal.seconds = context.costs.matrix(proposal.kernel, elementType(matmul.getResult()),
                                          matmul.getFlops(), move);
  proposal.acceptsStrides = [](unsigned operand, llvm::ArrayRef<int64_t> shape,
                               llvm::ArrayRef<int64_t> strides) {
    return operand < 2 && acceptsMatrix(shape, strides);
  };

  bool hasBias = !!extras.bias, hasAccumulator = !!extras.accumulator;
  Type resultType = proposal.ops.back()->getResult(0).getType();
  proposal.build = [=](OpBuilder &b, Location loc, ValueRange operands) mutable {
    Type type = matmul.getResult().getType();
    Value accumulator = hasAccumulator ? operands.back() : Value();
    auto kernel =
        b.create<MatmulOp>(loc, type, operands[0], operands[1], hasBias ? operands[2] : Value(),
                           reshaped(b, loc, accumulator, type), matmul.getTransposeAAttr(),
                           matmul.getTransposeBAttr());
    return llvm::SmallVector<Value>{reshaped(b, loc, kernel.getResult(), resultType)};
  };
  return proposal;
}

} // namespace raf::onednn
