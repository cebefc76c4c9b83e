// The role of every op in a loop nest.
#include "compiler/ir/Raf.h"
#include "compiler/lower/to_loops/LoopModels.h"
#include "compiler/lower/to_loops/Plan.h"

namespace raf::gen {
namespace {

template <class Op, LoopRole role>
struct Role : LoopNestOpInterface::ExternalModel<Role<Op, role>, Op> {
  LoopRole getLoopRole(mlir::Operation *) const { return role; }
};

/// Whole where the attention nest computes it, else decomposed.
template <class Op>
struct AttentionRole : LoopNestOpInterface::ExternalModel<AttentionRole<Op>, Op> {
  LoopRole getLoopRole(mlir::Operation *op) const {
    return hasAttentionNest(op) ? LoopRole::Anchor : LoopRole::Composite;
  }
};

template <LoopRole role, class... Ops> void attach(mlir::MLIRContext *context) {
  (Ops::template attachInterface<Role<Ops, role>>(*context), ...);
}

} // namespace

void attachLoopRoles(mlir::MLIRContext *c) {
  attach<LoopRole::Body, AddOp, SubOp, MulOp, DivOp, PowOp, Atan2Op, RemainderOp, MaximumOp,
         MinimumOp, NegOp, AbsOp, SignOp, ReluOp, ExpOp, Expm1Op, LogOp, Log1pOp, SqrtOp, RsqrtOp,
         ReciprocalOp, SinOp, CosOp, TanOp, TanhOp, ErfOp, SigmoidOp, FloorOp, CeilOp, RoundOp,
         TruncOp, NotOp, AndOp, OrOp, XorOp, CompareOp, IsNanOp, IsFiniteOp, SelectOp, CastOp,
         UniformOp, NormalOp, EmbeddingOp, TakeOp, GatherOp, PadOp, ConcatOp, ReverseOp>(c);
  attach<LoopRole::Index, ConstantOp, ReshapeOp, TransposeOp, BroadcastOp, IotaOp, SliceOp>(c);
  attach<LoopRole::Reduce, ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp, ReduceAnyOp,
         ReduceAllOp>(c);
  AttentionOp::attachInterface<AttentionRole<AttentionOp>>(*c);
  AttentionGradOp::attachInterface<AttentionRole<AttentionGradOp>>(*c);
  attach<LoopRole::Anchor, MatmulOp, EmbeddingGradOp, PutAddOp, ScatterAddOp, CumSumOp, ArgMaxOp,
         ArgMinOp>(c);
  attach<LoopRole::Composite, SiluOp, SoftplusOp, GeluOp, MeanOp, LogSumExpOp, VarOp, SoftmaxOp,
         LogSoftmaxOp, LayerNormOp, RmsNormOp, DropoutOp, CrossEntropyOp, MseLossOp, L1LossOp,
         HuberLossOp, SmoothL1LossOp, BceLossOp, BceWithLogitsLossOp, KlDivLossOp, SgdOp,
         SgdMomentumOp, AdamOp, LambOp, LansOp, AdagradOp, RmspropOp, LionOp>(c);
  attach<LoopRole::None, SortOp, TopKOp>(c);
}

} // namespace raf::gen
