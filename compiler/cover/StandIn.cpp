#include "compiler/cover/StandIn.h"

using namespace mlir;

namespace raf::cover {

LoopRole standInRole(Operation *op) {
  if (isa<ReshapeOp, TransposeOp, BroadcastOp, IotaOp, ConstantOp>(op))
    return LoopRole::Index;
  if (isa<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp, ReduceAnyOp, ReduceAllOp>(op))
    return LoopRole::Reduce;
  if (isa<MatmulOp, EmbeddingOp, EmbeddingGradOp, TakeOp, PutAddOp, GatherOp, ScatterAddOp,
          ConcatOp, PadOp, ReverseOp, ArgMaxOp, ArgMinOp, CumSumOp>(op))
    return LoopRole::Anchor;
  if (isa<DecomposableOpInterface>(op))
    return LoopRole::Composite;
  if (isa<SortOp, TopKOp>(op) || !isa<RafDialect>(op->getDialect()))
    return LoopRole::None;
  return LoopRole::Body;
}

} // namespace raf::cover
