// Scaled dot-product attention as one op.
#ifndef RAF_IR_ATTENTION_TD
#define RAF_IR_ATTENTION_TD

include "compiler/ir/Base.td"

def RAF_AttentionOp : RAF_InferredOp<"attention", [AttrSizedOperandSegments]> {
  let summary = "dropout(softmax(q k^T * scale + mask)) v";
  let description = [{
    q (B, Hq, Tq, D), k (B, Hk, Tk, D), v (B, Hk, Tk, Dv) -> out (B, Hq, Tq, Dv), logsumexp (B, Hq, Tq) in float32.
    (C1) ranks are 4 and B, Tk, D agree. (C2) Hq is a multiple of Hk (grouped heads: query head h reads key head h / (Hq/Hk)).
    (C3) mask, where given, is i1 (true: take part) or float (added), of a shape that broadcasts to (B, Hq, Tq, Tk) with extents 1 where it does not vary.
    (C4) causal: query i sees keys j <= i (top-left aligned, as PyTorch's is_causal). (C5) 0 <= dropout < 1; key is given when dropout > 0.
    Dropout's random index is the row-major index in (B, Hq, Tq, Tk). A row that sees no key gives 0 and logsumexp -inf.
  }];
  let arguments = (ins RAF_FloatTensor:$q, RAF_FloatTensor:$k, RAF_FloatTensor:$v, Optional<RAF_Tensor>:$mask, Optional<RAF_Key>:$key,
                       F64Attr:$scale, UnitAttr:$causal, DefaultValuedAttr<F64Attr, "0.0">:$dropout, DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs RAF_FloatTensor:$result, RAF_FloatTensor:$logsumexp);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::Low; }
    double getFlops();
    ::raf::ShardingRule getShardingRule();
  }];
}

def RAF_AttentionGradOp : RAF_InferredOp<"attention_grad", [AttrSizedOperandSegments]> {
  let summary = "gradients of attention with respect to q, k and v";
  let description = [{
    Takes the forward's operands, its two results and the cotangent of `result`. A mask gets no gradient here: when one is needed the
    derivative goes through the decomposition of attention. (C1) to (C5) as attention's. (C6) out, logsumexp and grad have the
    types of attention's results.
  }];
  let arguments = (ins RAF_FloatTensor:$q, RAF_FloatTensor:$k, RAF_FloatTensor:$v, RAF_FloatTensor:$out, RAF_FloatTensor:$logsumexp,
                       RAF_FloatTensor:$grad, Optional<RAF_Tensor>:$mask, Optional<RAF_Key>:$key,
                       F64Attr:$scale, UnitAttr:$causal, DefaultValuedAttr<F64Attr, "0.0">:$dropout, DefaultValuedAttr<I64Attr, "0">:$id);
  let results = (outs RAF_FloatTensor:$dq, RAF_FloatTensor:$dk, RAF_FloatTensor:$dv);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::Low; }
    double getFlops();
    ::raf::ShardingRule getShardingRule();
  }];
}

#endif
