#include "compiler/differentiate/rules/Rule.h"

using namespace mlir;

namespace raf {
namespace {

Value matmul(Vjp &v, Value a, Value b, bool transposeA, bool transposeB) {
  UnitAttr yes = v.b.getUnitAttr();
  return v.make<MatmulOp>(a, b, transposeA ? yes : UnitAttr(), transposeB ? yes : UnitAttr());
}

/// Sums over the batch dimensions along which the operand was repeated.
Value sumBatch(Vjp &v, Value gradient, Value operand) {
  llvm::ArrayRef<int64_t> from = shapeOf(gradient), to = shapeOf(operand);
  int64_t shift = static_cast<int64_t>(from.size() - to.size());
  llvm::SmallVector<int64_t> dims;
  for (int64_t i = 0, e = static_cast<int64_t>(from.size()) - 2; i < e; ++i)
    if (i < shift || (to[i - shift] == 1 && from[i] != 1))
      dims.push_back(i);
  return v.reshape(v.sum(gradient, dims), to);
}

/// Gradients of op(a) op(b) by a and b, without a transpose that moves elements:
///   a (M,K): g op(b)^T     a (K,M): op(b) g^T     b (K,N): op(a)^T g     b (N,K): g^T op(a)
Value gradientOfA(Vjp &v, Value g, Value b, bool ta, bool tb) {
  return ta ? matmul(v, b, g, tb, true) : matmul(v, g, b, false, !tb);
}
Value gradientOfB(Vjp &v, Value g, Value a, bool ta, bool tb) {
  return tb ? matmul(v, g, a, true, ta) : matmul(v, a, g, !ta, false);
}

/// (..., M, K) as (... M, K).
Value flatten(Vjp &v, Value x) {
  int64_t rows = 1;
  for (int64_t n : shapeOf(x).drop_back())
    rows *= n;
  return v.reshape(x, {rows, shapeOf(x).back()});
}

} // namespace

void attachContractionRules(MLIRContext *c) {
  rule<MatmulOp, [](MatmulOp op, Vjp &v) {
    Value a = op.getA(), b = op.getB(), g = v.g();
    bool ta = op.getTransposeA(), tb = op.getTransposeB();
    // One matrix for all samples (a linear layer): their rows are the rows of one product, so the
    // weight's gradient is one product too, with its sum over samples inside.
    bool shared = !ta && rankOf(a) > 2 &&
                  llvm::all_of(shapeOf(b).drop_back(2), [](int64_t n) { return n == 1; }) &&
                  rankOf(b) <= rankOf(a);
    if (shared) {
      a = flatten(v, a);
      b = v.reshape(b, shapeOf(b).take_back(2));
      g = flatten(v, g);
    }
    if (v.needs(0)) {
      Value da = gradientOfA(v, g, b, ta, tb);
      v.give(0, shared ? v.reshape(da, shapeOf(op.getA())) : sumBatch(v, da, op.getA()));
    }
    if (v.needs(1)) {
      Value db = gradientOfB(v, g, a, ta, tb);
      v.give(1, shared ? v.reshape(db, shapeOf(op.getB())) : sumBatch(v, db, op.getB()));
    }
  }>(c);
}

} // namespace raf
