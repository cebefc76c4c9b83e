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

/// `x` as a matrix: leading dimensions become rows. Null when that would move elements.
Value flattenRows(OpBuilder &b, Location loc, Value x) {
  llvm::ArrayRef<int64_t> shape = shapeOf(x);
  int64_t rows = ShapedType::getNumElements(shape.drop_back());
  auto flat =
      b.create<raf::ReshapeOp>(loc, RankedTensorType::get({rows, shape.back()}, elementType(x)), x);
  if (isView(flat))
    return flat;
  flat.erase();
  return {};
}

/// The additions that a matmul kernel takes over.
struct Extras {
  Value bias, accumulator;
  llvm::SmallVector<Operation *> adds;
};

Extras findExtras(raf::MatmulOp matmul, const cover::ProposalContext &context) {
  Extras extras;
  Value value = matmul.getResult();
  while (value.hasOneUse()) {
    auto add = dyn_cast<raf::AddOp>(*value.user_begin());
    if (!add || context.isClaimed(add))
      break;
    Value other = add.getLhs() == value ? add.getRhs() : add.getLhs();
    if (Value bias = biasOf(other); bias && !extras.bias && !extras.accumulator)
      extras.bias = bias;
    // An accumulator is worth it when it lies in memory anyway and dies here: the kernel then adds
    // in place. Otherwise the addition is cheaper as part of the generated kernels around it.
    else if (!extras.accumulator && other.hasOneUse() && context.isMaterialized(other))
      extras.accumulator = other;
    else
      break;
    extras.adds.push_back(add);
    value = add;
  }
  return extras;
}

} // namespace

std::optional<cover::Proposal> propose(Operation *op, const cover::ProposalContext &context) {
  auto matmul = dyn_cast<raf::MatmulOp>(op);
  if (!matmul)
    return std::nullopt;
  Type element = elementType(matmul.getResult());
  bool supported =
      element.isF32() || ((element.isBF16() || element.isF16()) && context.costs.getMachine().bf16);
  // Of an empty product oneDNN leaves the result unwritten.
  for (Value v : {matmul.getA(), matmul.getB()})
    supported &= !llvm::is_contained(shapeOf(v), 0);
  if (!supported)
    return std::nullopt;

  Extras extras = findExtras(matmul, context);
  cover::Proposal proposal;
  proposal.dialect = "onednn";
  proposal.kernel = "onednn.matmul";
  proposal.ops.push_back(matmul);
  proposal.ops.append(extras.adds);
  proposal.operands = {matmul.getA(), matmul.getB()};
  for (Value extra : {extras.bias, extras.accumulator})
    if (extra)
      proposal.operands.push_back(extra);
  double move = context.costs.move(matmul.getResult().getType());
  for (Value operand : proposal.operands)
    move += context.costs.move(operand.getType());
  proposal.seconds = context.costs.matrix(proposal.kernel, matmul.getFlops(), move);
  proposal.acceptsStrides = [](unsigned operand, llvm::ArrayRef<int64_t> shape,
                               llvm::ArrayRef<int64_t> strides) {
    return operand < 2 && acceptsMatrix(shape, strides);
  };

  bool hasBias = !!extras.bias, hasAccumulator = !!extras.accumulator;
  proposal.build = [=](OpBuilder &b, Location loc, ValueRange operands) mutable {
    Value a = operands[0], accumulator = hasAccumulator ? operands.back() : Value();
    auto type = cast<RankedTensorType>(matmul.getResult().getType());
    RankedTensorType flatType = type;
    // (..., M, K) x (K, N) is one matrix product: oneDNN then tiles over all rows at once.
    if (rankOf(a) > 2 && rankOf(operands[1]) == 2 && !matmul.getTransposeA())
      if (Value flat = flattenRows(b, loc, a)) {
        a = flat;
        flatType = RankedTensorType::get({shapeOf(a).front(), type.getShape().back()}, element);
        if (accumulator)
          accumulator = flattenRows(b, loc, accumulator);
      }
    auto kernel =
        b.create<MatmulOp>(loc, flatType, a, operands[1], hasBias ? operands[2] : Value(),
                           accumulator, matmul.getTransposeAAttr(), matmul.getTransposeBAttr());
    Value result = kernel.getResult();
    if (flatType != type)
      result = b.create<raf::ReshapeOp>(loc, type, result);
    return llvm::SmallVector<Value>{result};
  };
  return proposal;
}

} // namespace raf::onednn
