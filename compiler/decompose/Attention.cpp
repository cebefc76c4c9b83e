#include "compiler/decompose/Term.h"

#include <cmath>

namespace raf::decompose {
namespace {

// q (B, Hq, Tq, D), k (B, Hk, Tk, D), v (B, Hk, Tk, Dv). Query heads that share a key head lie one
// after the other, so the products see them as one longer sequence (B, Hk, Hq/Hk * Tq, .): nothing
// is repeated, and gradients of k and v sum over the group by themselves.
template <typename Op> struct Scores {
  mutable Op op; // its getters are not const
  Term q, k, v;
  llvm::SmallVector<int64_t> full; // (B, Hq, Tq, Tk)

  Scores(Op op, const Term &first)
      : op(op), q(first.with(op.getQ()).wide()), k(first.with(op.getK()).wide()),
        v(first.with(op.getV()).wide()),
        full{q.shape()[0], q.shape()[1], q.shape()[2], k.shape()[2]} {}

  /// (B, Hq, Tq, X) as (B, Hk, Hq/Hk * Tq, X).
  Term grouped(const Term &x) const {
    int64_t heads = k.shape()[1];
    int64_t group = heads == 0 ? 1 : x.shape()[1] / heads;
    return x.reshape({x.shape()[0], heads, group * x.shape()[2], x.shape()[3]});
  }

  /// The inverse of `grouped`.
  Term perHead(const Term &x) const { return x.reshape({full[0], full[1], full[2], x.shape()[3]}); }

  /// q k^T * scale, masked: (B, Hq, Tq, Tk).
  Term scores() const {
    Term s = perHead(grouped(q).matmul(k, false, true)) * op.getScale().convertToDouble();
    if (mlir::Value mask = op.getMask()) {
      Term m = q.with(mask);
      s = m.element().isInteger(1) ? m.to(full).select(s, -INFINITY) : s + m.wide().to(full);
    }
    if (op.getCausal()) {
      mlir::Type i32 = mlir::IntegerType::get(op.getContext(), 32);
      Term square = q.number(0, i32).to({full[2], full[3]});
      Term sees = square.iota(0, i32).compare(CompareKind::ge, square.iota(1, i32));
      s = sees.to(full).select(s, -INFINITY);
    }
    return s;
  }

  /// What dropout makes of (B, Hq, Tq, Tk).
  Term dropped(const Term &x) const {
    double p = op.getDropout().convertToDouble();
    if (p == 0)
      return x;
    Term kept = x.uniform(op.getKey(), op.getId()).compare(CompareKind::ge, p);
    return kept.select(x * (1 / (1 - p)), 0.0);
  }
};

Terms attention(AttentionOp op, const Term &first) {
  Scores<AttentionOp> a(op, first);
  auto [top, exponentials, sum] = shiftedExponentials(a.scores(), {3});
  // A row that sees no key: 0 / 1.
  Term divisor = sum.compare(CompareKind::eq, 0).select(1, sum);
  Term p = a.dropped(exponentials / divisor.over({3}, a.full));
  return {a.perHead(a.grouped(p).matmul(a.v)), top + log(sum)};
}

// With P = e^(S - logsumexp) and P' what dropout leaves of it:
//   dV = P'^T dO    dS = P * (dropped(dO V^T) - rowsum(dO * O))    dQ = dS K * scale    dK = dS^T Q
//   * scale
Terms attentionGrad(AttentionGradOp op, const Term &first) {
  Scores<AttentionGradOp> a(op, first);
  double scale = op.getScale().convertToDouble();
  Term grad = first.with(op.getGrad()).wide(), out = first.with(op.getOut()).wide();
  Term lse = first.with(op.getLogsumexp());
  lse = lse.compare(CompareKind::eq, -INFINITY).select(0.0, lse);
  Term p = exp(a.scores() - lse.over({3}, a.full));
  Term dv = a.grouped(a.dropped(p)).matmul(a.grouped(grad), true, false);
  Term dp = a.dropped(a.perHead(a.grouped(grad).matmul(a.v, false, true)));
  Term ds = p * (dp - (grad * out).sum({3}).over({3}, a.full));
  Term dq = a.perHead(a.grouped(ds).matmul(a.k)) * scale;
  Term dk = a.grouped(ds).matmul(a.grouped(a.q), true, false) * scale;
  return {dq, dk, dv};
}

} // namespace

void attachAttention(mlir::MLIRContext &context) {
  attach<AttentionOp, attention>(context);
  attach<AttentionGradOp, attentionGrad>(context);
}

} // namespace raf::decompose
