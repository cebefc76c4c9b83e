#include "compiler/decompose/Term.h"

using namespace mlir;

namespace raf::decompose {

Term Term::wide() const {
  return element().getIntOrFloatBitWidth() >= 32 ? *this : cast(b->getF32Type());
}

Term Term::reshape(llvm::ArrayRef<int64_t> to) const {
  if (shape() == to)
    return *this;
  return with(b->create<ReshapeOp>(loc, RankedTensorType::get(to, element()), v));
}

Term Term::iota(int64_t dim, Type element) const {
  return with(b->create<IotaOp>(loc, RankedTensorType::get(shape(), element), dim));
}

Term Term::sum(llvm::ArrayRef<int64_t> dims) const {
  return with(b->create<ReduceSumOp>(loc, v, dims));
}

Term Term::max(llvm::ArrayRef<int64_t> dims) const {
  return with(b->create<ReduceMaxOp>(loc, v, dims));
}

Term Term::sum() const { return sum(llvm::to_vector(llvm::seq<int64_t>(0, rank()))); }

Term Term::compare(CompareKind kind, const Term &other) const {
  auto [x, y] = align(*this, other);
  return with(b->create<CompareOp>(loc, x, y, kind));
}

Term Term::isFinite() const { return with(b->create<IsFiniteOp>(loc, v)); }

Term Term::select(const Term &yes, const Term &no) const {
  auto [a, c] = align(yes, no);
  return with(b->create<SelectOp>(loc, to(a.shape()), a, c));
}

Term Term::matmul(const Term &other, bool transposeA, bool transposeB) const {
  return with(b->create<MatmulOp>(loc, v, other, transposeA, transposeB));
}

Term Term::uniform(Value key, int64_t id) const {
  return with(b->create<UniformOp>(loc, RankedTensorType::get(shape(), b->getF32Type()), key, id));
}

std::pair<Term, Term> Term::align(const Term &x, const Term &y) {
  if (x.rank() == 0)
    return {x.to(y.shape()), y};
  if (y.rank() == 0)
    return {x, y.to(x.shape())};
  return {x, y};
}

ShiftedLogSum shiftedExponentials(const Term &x, llvm::ArrayRef<int64_t> dims) {
  Term top = x.max(dims);
  top = top.isFinite().select(top, 0.0);
  Term exponentials = exp(x - top.over(dims, x.shape()));
  return {top, exponentials, exponentials.sum(dims)};
}

Term mean(const Term &x, llvm::ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t d : dims)
    count *= x.shape()[d];
  return x.sum(dims) / static_cast<double>(count);
}

} // namespace raf::decompose
