#include "compiler/differentiate/Differentiate.h"
#include "compiler/ir/Raf.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace raf {
namespace {

bool isFloatTensor(Value v) {
  auto type = dyn_cast<RankedTensorType>(v.getType());
  return type && isa<FloatType>(type.getElementType());
}

/// Which values change the loss and change with what is differentiated: only those get cotangents.
class Activity {
public:
  Activity(Value loss, llvm::ArrayRef<Value> wrt) {
    Block &block = *loss.getParentBlock();
    llvm::DenseSet<Value> varies(wrt.begin(), wrt.end());
    for (Operation &op : block)
      if (carriesGradient(&op) &&
          llvm::any_of(op.getOperands(), [&](Value v) { return varies.contains(v); }))
        for (Value r : op.getResults())
          if (isFloatTensor(r))
            varies.insert(r);
    if (!varies.contains(loss))
      return;
    active.insert(loss);
    for (Operation &op : llvm::reverse(block)) {
      if (llvm::none_of(op.getResults(), [&](Value v) { return active.contains(v); }))
        continue;
      ops.push_back(&op);
      for (Value v : op.getOperands())
        if (varies.contains(v))
          active.insert(v);
    }
  }

  bool isActive(Value v) const { return active.contains(v); }
  /// Ops with an active result, last one first. All have an active operand.
  llvm::ArrayRef<Operation *> reverseOps() const { return ops; }

  llvm::SmallVector<bool> needed(Operation *op) const { return mask(op->getOperands()); }
  llvm::SmallVector<bool> live(Operation *op) const { return mask(op->getResults()); }

private:
  static bool carriesGradient(Operation *op) {
    auto rule = dyn_cast<DifferentiableOpInterface>(op);
    return !rule || rule.isDifferentiable();
  }
  llvm::SmallVector<bool> mask(ValueRange values) const {
    return llvm::map_to_vector(values, [&](Value v) { return isActive(v); });
  }

  llvm::DenseSet<Value> active;
  llvm::SmallVector<Operation *> ops;
};

/// Replaces active ops whose rule does not cover their use by what they decompose into, until none
/// is left.
LogicalResult decomposeUncovered(Value &loss, llvm::ArrayRef<Value> wrt) {
  while (true) {
    Activity activity(loss, wrt);
    bool changed = false, failed = false;
    for (Operation *op : activity.reverseOps()) {
      auto rule = dyn_cast<DifferentiableOpInterface>(op);
      if (rule && rule.hasRuleFor(activity.needed(op), activity.live(op)))
        continue;
      auto composite = dyn_cast<DecomposableOpInterface>(op);
      OpBuilder b(op);
      FailureOr<llvm::SmallVector<Value>> pieces =
          composite ? composite.decompose(b) : FailureOr<llvm::SmallVector<Value>>(failure());
      if (mlir::failed(pieces)) {
        op->emitOpError(rule ? "has no derivative for this use" : "has no derivative");
        failed = true;
        continue;
      }
      if (loss.getDefiningOp() == op)
        loss = (*pieces)[cast<OpResult>(loss).getResultNumber()];
      op->replaceAllUsesWith(*pieces);
      op->erase();
      changed = true;
    }
    if (failed)
      return failure();
    if (!changed)
      return success();
  }
}

/// The dimension along which `pad` puts zeros around its operand, if it is the only one.
std::optional<int64_t> zeroPadDim(Value v) {
  auto pad = v.getDefiningOp<PadOp>();
  if (!pad || splatValue(pad.getValue()) != 0.0)
    return std::nullopt;
  std::optional<int64_t> dim;
  for (int64_t i = 0; i < rankOf(v); ++i) {
    if (pad.getLow()[i] == 0 && pad.getHigh()[i] == 0)
      continue;
    if (dim)
      return std::nullopt;
    dim = i;
  }
  return dim;
}

/// Joins the cotangents that slices of one value left: zero-padded pieces that do not overlap are
/// set side by side instead of added. The joined piece takes the place of the first one.
void joinSlices(OpBuilder &b, llvm::SmallVectorImpl<Value> &terms) {
  for (size_t first = 0; first < terms.size(); ++first) {
    std::optional<int64_t> dim = zeroPadDim(terms[first]);
    if (!dim)
      continue;
    int64_t d = *dim, extent = shapeOf(terms[first])[d];
    auto low = [&](Value v) { return v.getDefiningOp<PadOp>().getLow()[d]; };
    auto end = [&](Value v) { return extent - v.getDefiningOp<PadOp>().getHigh()[d]; };
    llvm::SmallVector<Value> pieces{terms[first]};
    for (size_t i = first + 1; i < terms.size(); ++i)
      if (zeroPadDim(terms[i]) == dim && llvm::all_of(pieces, [&](Value p) {
            return end(p) <= low(terms[i]) || end(terms[i]) <= low(p);
          }))
        pieces.push_back(terms[i]);
    if (pieces.size() == 1)
      continue;
    llvm::erase_if(terms, [&](Value t) { return t != pieces[0] && llvm::is_contained(pieces, t); });

    llvm::sort(pieces, [&](Value l, Value r) { return low(l) < low(r); });
    Location loc = terms[first].getLoc();
    Type element = elementType(terms[first]);
    llvm::SmallVector<Value> parts;
    int64_t at = 0;
    auto fillTo = [&](int64_t limit) {
      if (limit == at)
        return;
      llvm::SmallVector<int64_t> gap(shapeOf(terms[first]));
      gap[d] = limit - at;
      parts.push_back(splat(b, loc, 0, RankedTensorType::get(gap, element)));
    };
    for (Value p : pieces) {
      fillTo(low(p));
      parts.push_back(p.getDefiningOp<PadOp>().getX());
      at = end(p);
    }
    fillTo(extent);
    terms[first] = b.create<ConcatOp>(loc, parts, b.getI64IntegerAttr(d));
  }
}

/// Cotangents of values, collected in the order in which the walk meets their users.
class Cotangents {
public:
  explicit Cotangents(OpBuilder &b) : b(b) {}

  void add(Value of, Value term) { terms[of].push_back(term); }

  /// The sum, null when nothing was added. Terms are added in order: the same bits in every run.
  Value total(Value of) {
    auto it = terms.find(of);
    if (it == terms.end())
      return {};
    llvm::SmallVector<Value> &list = it->second;
    joinSlices(b, list);
    while (list.size() > 1) {
      list[0] = b.create<AddOp>(list[1].getLoc(), list[0], list[1]);
      list.erase(list.begin() + 1);
    }
    return list[0];
  }

private:
  OpBuilder &b;
  llvm::DenseMap<Value, llvm::SmallVector<Value>> terms;
};

} // namespace

FailureOr<llvm::SmallVector<Value>> buildGradients(Value loss, llvm::ArrayRef<Value> wrt) {
  auto lossType = dyn_cast<RankedTensorType>(loss.getType());
  assert(lossType && lossType.getRank() == 0 && isFloatTensor(loss));
  Block &block = *loss.getParentBlock();
  if (failed(decomposeUncovered(loss, wrt)))
    return failure();

  Activity activity(loss, wrt);
  OpBuilder b = OpBuilder::atBlockTerminator(&block);
  Cotangents cotangents(b);
  Operation *lastOfForward = block.getTerminator()->getPrevNode();
  if (activity.isActive(loss))
    cotangents.add(loss, splat(b, loss.getLoc(), 1, lossType));

  bool ok = true;
  for (Operation *op : activity.reverseOps()) {
    llvm::SmallVector<Value> incoming;
    for (Value r : op->getResults())
      incoming.push_back(activity.isActive(r) ? cotangents.total(r) : Value());
    if (llvm::none_of(incoming, [](Value v) { return static_cast<bool>(v); }))
      continue;
    llvm::SmallVector<bool> needed = activity.needed(op);
    llvm::SmallVector<Value> gradients(op->getNumOperands());
    if (failed(cast<DifferentiableOpInterface>(op).vjp(b, incoming, needed, gradients))) {
      ok = false; // said by the rule; go on, so that all are named at once
      continue;
    }
    for (auto [operand, gradient, need] : llvm::zip(op->getOperands(), gradients, needed)) {
      if (!need || !gradient)
        continue;
      assert(gradient.getType() == operand.getType() && "a cotangent has its primal's type");
      cotangents.add(operand, gradient);
    }
  }
  if (!ok)
    return failure();

  llvm::SmallVector<Value> result;
  for (Value v : wrt)
    result.push_back(cotangents.total(v));
  // What rules and joins made in vain.
  llvm::SmallPtrSet<Operation *, 8> kept;
  for (Value v : result)
    if (v && v.getDefiningOp())
      kept.insert(v.getDefiningOp());
  for (Operation *op = block.getTerminator()->getPrevNode(); op && op != lastOfForward;) {
    Operation *previous = op->getPrevNode();
    if (!kept.contains(op) && isOpTriviallyDead(op))
      op->erase();
    op = previous;
  }
  return result;
}

} // namespace raf
