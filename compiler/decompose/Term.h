// Formulas over raf ops that read as formulas. For the decompositions.
#pragma once

#include "compiler/ir/Raf.h"

namespace raf::decompose {

/// A value with the place where the next ops go. Arithmetic takes equal shapes, or a rank-0 term or
/// number with anything; a number takes the element type of the other side.
class Term {
public:
  Term(mlir::OpBuilder &b, mlir::Location loc, mlir::Value v) : b(&b), loc(loc), v(v) {}

  operator mlir::Value() const { return v; }
  mlir::RankedTensorType type() const { return tensorType(v); }
  mlir::Type element() const { return elementType(v); }
  llvm::ArrayRef<int64_t> shape() const { return shapeOf(v); }
  int64_t rank() const { return rankOf(v); }

  /// Another value at the same place.
  Term with(mlir::Value value) const { return {*b, loc, value}; }
  Term number(double value, mlir::Type element) const {
    return with(scalarConstant(*b, loc, value, element));
  }
  /// Every element `value`, with this term's type.
  Term like(double value) const { return with(splat(*b, loc, value, type())); }

  Term cast(mlir::Type element) const { return with(castTo(*b, loc, v, element)); }
  /// In the type that intermediate results have: float32 for the 16-bit floats.
  Term wide() const;
  Term reshape(llvm::ArrayRef<int64_t> shape) const;
  /// Aligned to the right, as NumPy broadcasts.
  Term to(llvm::ArrayRef<int64_t> shape) const { return with(broadcastTo(*b, loc, v, shape)); }
  /// Gives a reduced term back the dimensions that were reduced.
  Term over(llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape) const {
    return with(broadcastReduced(*b, loc, v, dims, shape));
  }
  /// Position along `dim`, in a tensor of this term's shape.
  Term iota(int64_t dim, mlir::Type element) const;

  Term sum(llvm::ArrayRef<int64_t> dims) const;
  Term max(llvm::ArrayRef<int64_t> dims) const;
  Term sum() const;

  template <typename UnaryOp> Term map() const {
    return with(b->create<UnaryOp>(loc, v.getType(), v));
  }
  template <typename BinaryOp> Term map(const Term &other) const {
    auto [x, y] = align(*this, other);
    return with(b->create<BinaryOp>(loc, x.v.getType(), x, y));
  }
  template <typename BinaryOp> Term map(double other) const {
    return map<BinaryOp>(number(other, element()));
  }
  Term compare(CompareKind kind, const Term &other) const;
  Term compare(CompareKind kind, double other) const {
    return compare(kind, number(other, element()));
  }
  Term isFinite() const;
  /// This boolean term ? yes : no.
  Term select(const Term &yes, const Term &no) const;
  Term select(const Term &yes, double no) const {
    return select(yes, yes.number(no, yes.element()));
  }
  Term select(double yes, const Term &no) const { return select(no.number(yes, no.element()), no); }

  Term matmul(const Term &other, bool transposeA = false, bool transposeB = false) const;
  /// Uniform random numbers of this term's shape.
  Term uniform(mlir::Value key, int64_t id) const;

private:
  static std::pair<Term, Term> align(const Term &x, const Term &y);

  mlir::OpBuilder *b;
  mlir::Location loc;
  mlir::Value v;
};

inline Term operator+(const Term &x, const Term &y) { return x.map<AddOp>(y); }
inline Term operator-(const Term &x, const Term &y) { return x.map<SubOp>(y); }
inline Term operator*(const Term &x, const Term &y) { return x.map<MulOp>(y); }
inline Term operator/(const Term &x, const Term &y) { return x.map<DivOp>(y); }
inline Term operator+(const Term &x, double y) { return x.map<AddOp>(y); }
inline Term operator-(const Term &x, double y) { return x.map<SubOp>(y); }
inline Term operator*(const Term &x, double y) { return x.map<MulOp>(y); }
inline Term operator/(const Term &x, double y) { return x.map<DivOp>(y); }
inline Term operator+(double x, const Term &y) { return y.number(x, y.element()) + y; }
inline Term operator-(double x, const Term &y) { return y.number(x, y.element()) - y; }
inline Term operator*(double x, const Term &y) { return y.number(x, y.element()) * y; }
inline Term operator-(const Term &x) { return x.map<NegOp>(); }

inline Term exp(const Term &x) { return x.map<ExpOp>(); }
inline Term log(const Term &x) { return x.map<LogOp>(); }
inline Term log1p(const Term &x) { return x.map<Log1pOp>(); }
inline Term sqrt(const Term &x) { return x.map<SqrtOp>(); }
inline Term rsqrt(const Term &x) { return x.map<RsqrtOp>(); }
inline Term abs(const Term &x) { return x.map<AbsOp>(); }
inline Term sign(const Term &x) { return x.map<SignOp>(); }
inline Term maximum(const Term &x, double y) { return x.map<MaximumOp>(y); }

/// max and log(sum(exp(x - max))) over dims; max counts as 0 where it is not finite, so that rows
/// of only -inf, or with an inf, give what the limit gives. Their sum is logsumexp.
struct ShiftedLogSum {
  Term max, exponentials, sum;
};
ShiftedLogSum shiftedExponentials(const Term &x, llvm::ArrayRef<int64_t> dims);

/// mean over dims, NaN when empty.
Term mean(const Term &x, llvm::ArrayRef<int64_t> dims);

using Terms = llvm::SmallVector<Term>;

/// The interface model of an op whose formula is `formula(op, term of its first operand)`.
template <typename ConcreteOp, Terms (*formula)(ConcreteOp, const Term &)>
struct Model : DecomposableOpInterface::ExternalModel<Model<ConcreteOp, formula>, ConcreteOp> {
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> decompose(mlir::Operation *op,
                                                            mlir::OpBuilder &b) const {
    llvm::SmallVector<mlir::Value> values;
    Terms terms = formula(mlir::cast<ConcreteOp>(op), Term(b, op->getLoc(), op->getOperand(0)));
    for (auto [term, type] : llvm::zip_equal(terms, op->getResultTypes()))
      values.push_back(term.cast(mlir::cast<mlir::RankedTensorType>(type).getElementType()));
    return values;
  }
};

template <typename ConcreteOp, Terms (*formula)(ConcreteOp, const Term &)>
void attach(mlir::MLIRContext &context) {
  ConcreteOp::template attachInterface<Model<ConcreteOp, formula>>(context);
}

// One per op family; each attaches the models of its file.
void attachElementwise(mlir::MLIRContext &context);
void attachReduce(mlir::MLIRContext &context);
void attachNormalization(mlir::MLIRContext &context);
void attachAttention(mlir::MLIRContext &context);
void attachRandom(mlir::MLIRContext &context);
void attachLoss(mlir::MLIRContext &context);
void attachOptimizer(mlir::MLIRContext &context);

} // namespace raf::decompose
