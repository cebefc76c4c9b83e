#include "compiler/differentiate/rules/Rule.h"

using namespace mlir;

namespace raf {

void attachIndexingRules(MLIRContext *c) {
  rule<EmbeddingOp, [](EmbeddingOp op, Vjp &v) {
    v.give(0, v.make<EmbeddingGradOp>(v.g(), op.getIds(),
                                      v.b.getI64IntegerAttr(shapeOf(op.getWeight())[0]),
                                      op.getPaddingIdxAttr()));
  }>(c);
  // The padding row takes part in neither direction.
  rule<EmbeddingGradOp, [](EmbeddingGradOp op, Vjp &v) {
    Value rows = v.make<EmbeddingOp>(v.g(), op.getIds(), IntegerAttr());
    if (auto padding = op.getPaddingIdx()) {
      Value is = v.compare(CompareKind::eq, op.getIds(),
                           static_cast<double>(static_cast<int64_t>(*padding)));
      rows = v.select(v.restore(is, {rankOf(rows) - 1}, shapeOf(rows)), v.zeros(rows), rows);
    }
    v.give(0, rows);
  }>(c);
  rule<TakeOp, [](TakeOp op, Vjp &v) {
    v.give(0, v.make<PutAddOp>(op.getX().getType(), v.zeros(op.getX()), op.getIndices(), v.g(),
                               op.getDimAttr()));
  }>(c);
  rule<PutAddOp, [](PutAddOp op, Vjp &v) {
    if (v.needs(0))
      v.give(0, v.g());
    if (v.needs(2))
      v.give(2, v.make<TakeOp>(v.g(), op.getIndices(), op.getDimAttr()));
  }>(c);
  rule<GatherOp, [](GatherOp op, Vjp &v) {
    v.give(0, v.make<ScatterAddOp>(op.getX().getType(), v.zeros(op.getX()), op.getIndices(), v.g(),
                                   op.getDimAttr()));
  }>(c);
  rule<ScatterAddOp, [](ScatterAddOp op, Vjp &v) {
    if (v.needs(0))
      v.give(0, v.g());
    if (v.needs(2))
      v.give(2, v.make<GatherOp>(v.g(), op.getIndices(), op.getDimAttr()));
  }>(c);
}

} // namespace raf
