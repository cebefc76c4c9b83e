// How a derivative is written: `rule<Op, [](Op op, Vjp &v) { ... }>(context)` in a file named after
// the op's family. A rule gives each operand that needs one its gradient, in raf ops only, so that
// the pass can differentiate its own result.
#pragma once

#include "compiler/ir/Raf.h"

#include <cmath>
#include <type_traits>

namespace raf {

/// One application of a rule: the cotangents it starts from, the gradients it gives, and short
/// names for building ops.
class Vjp {
public:
  Vjp(mlir::OpBuilder &b, mlir::Operation *op, mlir::ValueRange cotangents,
      llvm::ArrayRef<bool> needed, llvm::MutableArrayRef<mlir::Value> gradients)
      : b(b), loc(op->getLoc()), op(op), cotangents(cotangents), needed(needed),
        gradients(gradients) {}

  mlir::OpBuilder &b;
  mlir::Location loc;

  /// Cotangent of result i; null when it is zero.
  mlir::Value g(unsigned i = 0) const { return cotangents[i]; }
  bool needs(unsigned operand) const { return needed[operand]; }
  /// Adds `gradient` to what operand `i` gets, in the operand's element type.
  void give(unsigned i, mlir::Value gradient);

  // bf16 and f16 are too coarse for the steps of a formula: a rule of several ops computes in
  // float32 and `give` rounds once.
  mlir::Value wide(mlir::Value x) const;

  mlir::Value add(mlir::Value l, mlir::Value r) const { return make<AddOp>(l, r); }
  mlir::Value sub(mlir::Value l, mlir::Value r) const { return make<SubOp>(l, r); }
  mlir::Value mul(mlir::Value l, mlir::Value r) const { return make<MulOp>(l, r); }
  mlir::Value div(mlir::Value l, mlir::Value r) const { return make<DivOp>(l, r); }
  mlir::Value neg(mlir::Value x) const { return make<NegOp>(x); }
  mlir::Value exp(mlir::Value x) const { return make<ExpOp>(x); }
  mlir::Value compare(CompareKind kind, mlir::Value l, mlir::Value r) const {
    return b.create<CompareOp>(loc, l, r, kind);
  }
  mlir::Value select(mlir::Value c, mlir::Value t, mlir::Value f) const {
    return b.create<SelectOp>(loc, c, t, f);
  }
  /// A value with every element `value`, of the type of `like`.
  mlir::Value fill(double value, mlir::Value like) const {
    return splat(b, loc, value, tensorType(like));
  }
  mlir::Value zeros(mlir::Value like) const { return fill(0, like); }
  mlir::Value add(mlir::Value x, double c) const { return add(x, fill(c, x)); }
  mlir::Value mul(mlir::Value x, double c) const { return mul(x, fill(c, x)); }
  /// `kind` against a constant.
  mlir::Value compare(CompareKind kind, mlir::Value x, double c) const {
    return compare(kind, x, fill(c, x));
  }
  mlir::Value sum(mlir::Value x, llvm::ArrayRef<int64_t> dims) const;
  /// Inserts back the dimensions a reduction removed.
  mlir::Value restore(mlir::Value x, llvm::ArrayRef<int64_t> dims,
                      llvm::ArrayRef<int64_t> shape) const {
    return broadcastReduced(b, loc, x, dims, shape);
  }
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape) const;
  mlir::Value cast(mlir::Value x, mlir::Type elementType) const {
    return castTo(b, loc, x, elementType);
  }
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) const {
    return b.create<Op>(loc, std::forward<Args>(args)...)->getResult(0);
  }

private:
  mlir::Operation *op;
  mlir::ValueRange cotangents;
  llvm::ArrayRef<bool> needed;
  llvm::MutableArrayRef<mlir::Value> gradients;
};

/// 0 .. rank-1, and its part from `first` on.
llvm::SmallVector<int64_t> allDims(int64_t rank, int64_t first = 0);

template <typename Op, auto Rule>
struct RuleModel : DifferentiableOpInterface::ExternalModel<RuleModel<Op, Rule>, Op> {
  mlir::LogicalResult vjp(mlir::Operation *op, mlir::OpBuilder &b, mlir::ValueRange cotangents,
                          llvm::ArrayRef<bool> needed,
                          llvm::MutableArrayRef<mlir::Value> gradients) const {
    Vjp v(b, op, cotangents, needed, gradients);
    Rule(mlir::cast<Op>(op), v);
    return mlir::success();
  }
};

/// A rule that covers only some uses: `Covers(op, needed, live)`; elsewhere the op is decomposed.
template <typename Op, auto Covers, auto Rule>
struct PartialRuleModel
    : DifferentiableOpInterface::ExternalModel<PartialRuleModel<Op, Covers, Rule>, Op> {
  mlir::LogicalResult vjp(mlir::Operation *op, mlir::OpBuilder &b, mlir::ValueRange cotangents,
                          llvm::ArrayRef<bool> needed,
                          llvm::MutableArrayRef<mlir::Value> gradients) const {
    Vjp v(b, op, cotangents, needed, gradients);
    Rule(mlir::cast<Op>(op), v);
    return mlir::success();
  }
  bool hasRuleFor(mlir::Operation *op, llvm::ArrayRef<bool> needed,
                  llvm::ArrayRef<bool> live) const {
    return Covers(mlir::cast<Op>(op), needed, live);
  }
};

/// Piecewise constant or not a function of floats: the gradient is zero and nothing is built.
template <typename Op>
struct ZeroModel : DifferentiableOpInterface::ExternalModel<ZeroModel<Op>, Op> {
  mlir::LogicalResult vjp(mlir::Operation *, mlir::OpBuilder &, mlir::ValueRange,
                          llvm::ArrayRef<bool>, llvm::MutableArrayRef<mlir::Value>) const {
    return mlir::success();
  }
  bool isDifferentiable(mlir::Operation *) const { return false; }
};

/// A derivative exists, but RAF has none: asking for it is an error, not a zero.
template <typename Op>
struct RefusedModel : DifferentiableOpInterface::ExternalModel<RefusedModel<Op>, Op> {
  mlir::LogicalResult vjp(mlir::Operation *op, mlir::OpBuilder &, mlir::ValueRange,
                          llvm::ArrayRef<bool>, llvm::MutableArrayRef<mlir::Value>) const {
    return op->emitOpError("has no derivative");
  }
};

template <typename Op, auto Rule> void rule(mlir::MLIRContext *context) {
  Op::template attachInterface<RuleModel<Op, Rule>>(*context);
}
template <typename Op, auto Covers, auto Rule> void partialRule(mlir::MLIRContext *context) {
  Op::template attachInterface<PartialRuleModel<Op, Covers, Rule>>(*context);
}
template <typename... Ops> void zeroDerivative(mlir::MLIRContext *context) {
  (Ops::template attachInterface<ZeroModel<Ops>>(*context), ...);
}
template <typename... Ops> void refuseDerivative(mlir::MLIRContext *context) {
  (Ops::template attachInterface<RefusedModel<Ops>>(*context), ...);
}

// One per family.
void attachElementwiseRules(mlir::MLIRContext *);
void attachShapeRules(mlir::MLIRContext *);
void attachIndexingRules(mlir::MLIRContext *);
void attachReduceRules(mlir::MLIRContext *);
void attachContractionRules(mlir::MLIRContext *);
void attachNormalizationRules(mlir::MLIRContext *);
void attachAttentionRules(mlir::MLIRContext *);
void attachRandomRules(mlir::MLIRContext *);
void attachLossRules(mlir::MLIRContext *);
void attachOptimizerRules(mlir::MLIRContext *);

} // namespace raf
