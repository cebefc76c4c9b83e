// Matrix products.
#ifndef RAF_IR_CONTRACTION_TD
#define RAF_IR_CONTRACTION_TD

include "compiler/ir/Base.td"

def RAF_MatmulOp : RAF_InferredOp<"matmul"> {
  let summary = "(..., M, K) x (..., K, N) -> (..., M, N)";
  let description = [{
    `transpose_a`: a is (..., K, M); `transpose_b`: b is (..., N, K).
    (C1) ranks >= 2. (C2) the K extents are equal. (C3) leading (batch) extents are equal or 1 after aligning to the right, as
    NumPy broadcasts. (C4) equal float element types. Products are summed in float32 or wider.
  }];
  let arguments = (ins RAF_FloatTensor:$a, RAF_FloatTensor:$b, UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs RAF_FloatTensor:$result);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::Low; }
    double getFlops();
    ::raf::ShardingRule getShardingRule();
    int64_t getM();
    int64_t getN();
    int64_t getK();
  }];
}

#endif
