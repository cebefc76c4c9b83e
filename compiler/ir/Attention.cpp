#include "compiler/ir/Raf.h"

using namespace mlir;

namespace raf {
namespace {

/// (C1) to (C5) of attention; `op` names the op in the message.
LogicalResult check(std::optional<Location> loc, llvm::StringRef op, Value q, Value k, Value v,
                    Value mask, Value key, double dropout) {
  for (Value x : {q, k, v})
    if (rankOf(x) != 4 || elementType(x) != elementType(q))
      return emitOptionalError(
          loc, "'raf.", op,
          "' op (C1) expected q, k and v of rank 4 and one element type, but got ", q.getType(),
          ", ", k.getType(), " and ", v.getType());
  llvm::ArrayRef<int64_t> qs = shapeOf(q), ks = shapeOf(k), vs = shapeOf(v);
  if (qs[0] != ks[0] || qs[0] != vs[0] || ks[1] != vs[1] || ks[2] != vs[2] || qs[3] != ks[3])
    return emitOptionalError(
        loc, "'raf.", op, "' op (C1) expected agreeing batch, key length and head size, but got ",
        q.getType(), ", ", k.getType(), " and ", v.getType());
  if (ks[1] == 0 ? qs[1] != 0 : qs[1] % ks[1] != 0)
    return emitOptionalError(
        loc, "'raf.", op, "' op (C2) expected query heads to be a multiple of key heads, but got ",
        qs[1], " and ", ks[1]);
  if (mask) {
    int64_t full[4] = {qs[0], qs[1], qs[2], ks[2]};
    bool fits = rankOf(mask) == 4 &&
                (elementType(mask).isInteger(1) || elementType(mask) == elementType(q));
    for (int i = 0; fits && i < 4; ++i)
      fits = shapeOf(mask)[i] == 1 || shapeOf(mask)[i] == full[i];
    if (!fits)
      return emitOptionalError(loc, "'raf.", op, "' op (C3) expected an i1 or ", elementType(q),
                               " mask that broadcasts to [", llvm::ArrayRef<int64_t>(full),
                               "], but got ", mask.getType());
  }
  if (!(dropout >= 0 && dropout < 1) || (dropout > 0 && !key))
    return emitOptionalError(loc, "'raf.", op,
                             "' op (C5) expected 0 <= dropout < 1 and a key with dropout, but got ",
                             dropout);
  if (key && shapeOf(key) != llvm::ArrayRef<int64_t>{2})
    return emitOptionalError(loc, "'raf.", op,
                             "' op (C5) expected a key of type tensor<2xi64>, but got ",
                             key.getType());
  return success();
}

double flops(Value q, Value k, Value v, bool causal) {
  llvm::ArrayRef<int64_t> s = shapeOf(q);
  double pairs = static_cast<double>(s[0] * s[1]) * static_cast<double>(s[2]) *
                 static_cast<double>(shapeOf(k)[2]);
  return 2.0 * pairs * static_cast<double>(s[3] + shapeOf(v)[3]) * (causal ? 0.5 : 1.0);
}

/// Batch and heads are independent.
ShardingRule batchAndHeads(Operation *op, bool grouped) {
  ShardingRule r;
  r.numFactors = 2;
  auto factors = [&](Type t) {
    auto type = cast<RankedTensorType>(t);
    llvm::SmallVector<int> f(type.getRank(), -1);
    if (type.getRank() >= 3) {
      f[0] = type.getShape()[0] == 1 ? -1 : 0;
      f[1] = grouped || type.getShape()[1] == 1 ? -1 : 1;
    }
    return f;
  };
  for (Type t : op->getOperandTypes())
    r.operands.push_back(factors(t));
  for (Type t : op->getResultTypes())
    r.results.push_back(factors(t));
  return r;
}

} // namespace

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                            ValueRange operands, DictionaryAttr attributes,
                                            OpaqueProperties properties, RegionRange regions,
                                            llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  if (failed(check(loc, "attention", a.getQ(), a.getK(), a.getV(), a.getMask(), a.getKey(),
                   a.getDropout().convertToDouble())))
    return failure();
  llvm::ArrayRef<int64_t> q = shapeOf(a.getQ());
  types.push_back(
      RankedTensorType::get({q[0], q[1], q[2], shapeOf(a.getV())[3]}, elementType(a.getQ())));
  Type statistic =
      elementType(a.getQ()).isF64() ? elementType(a.getQ()) : Float32Type::get(context);
  types.push_back(RankedTensorType::get({q[0], q[1], q[2]}, statistic));
  return success();
}

LogicalResult AttentionGradOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                                ValueRange operands, DictionaryAttr attributes,
                                                OpaqueProperties properties, RegionRange regions,
                                                llvm::SmallVectorImpl<Type> &types) {
  Adaptor a(operands, attributes, properties, regions);
  if (failed(check(loc, "attention_grad", a.getQ(), a.getK(), a.getV(), a.getMask(), a.getKey(),
                   a.getDropout().convertToDouble())))
    return failure();
  llvm::ArrayRef<int64_t> q = shapeOf(a.getQ());
  Type element = elementType(a.getQ());
  auto out = RankedTensorType::get({q[0], q[1], q[2], shapeOf(a.getV())[3]}, element);
  auto statistic = RankedTensorType::get({q[0], q[1], q[2]},
                                         element.isF64() ? element : Float32Type::get(context));
  if (a.getOut().getType() != out || a.getGrad().getType() != out ||
      a.getLogsumexp().getType() != statistic)
    return emitOptionalError(loc, "'raf.attention_grad' op (C6) expected out and grad of type ",
                             out, " and logsumexp of type ", statistic, ", but got ",
                             a.getOut().getType(), ", ", a.getGrad().getType(), " and ",
                             a.getLogsumexp().getType());
  types.append({a.getQ().getType(), a.getK().getType(), a.getV().getType()});
  return success();
}

double AttentionOp::getFlops() { return flops(getQ(), getK(), getV(), getCausal()); }
double AttentionGradOp::getFlops() { return 2.5 * flops(getQ(), getK(), getV(), getCausal()); }
ShardingRule AttentionOp::getShardingRule() {
  return batchAndHeads(*this, shapeOf(getQ())[1] != shapeOf(getK())[1]);
}
ShardingRule AttentionGradOp::getShardingRule() {
  return batchAndHeads(*this, shapeOf(getQ())[1] != shapeOf(getK())[1]);
}

} // namespace raf
