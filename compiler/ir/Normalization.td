// Softmax and normalizations.
#ifndef RAF_IR_NORMALIZATION_TD
#define RAF_IR_NORMALIZATION_TD

include "compiler/ir/Base.td"

class RAF_SoftmaxLikeOp<string mnemonic, string formula> : RAF_Op<mnemonic, [SameOperandsAndResultType]> {
  let summary = formula;
  let description = [{ (C1) 0 <= dim < rank. A row of only -inf gives NaN, as PyTorch's does. }];
  let arguments = (ins RAF_FloatTensor:$x, I64Attr:$dim);
  let results = (outs RAF_FloatTensor:$result);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::High; }
    double getFlops() { return 6 * ::raf::countElements({getX().getType()}); }
    ::raf::ShardingRule getShardingRule();
  }];
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let hasVerifier = 1;
}
def RAF_SoftmaxOp : RAF_SoftmaxLikeOp<"softmax", "e^(x - max) / sum e^(x - max) along dim">;
def RAF_LogSoftmaxOp : RAF_SoftmaxLikeOp<"log_softmax", "x - logsumexp(x) along dim">;

def RAF_LayerNormOp : RAF_InferredOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "(x - mean) * rstd * weight + bias over the last `axes` dimensions";
  let description = [{
    rstd = 1 / sqrt(var + eps) with the biased variance. Statistics are float32 or wider.
    (C1) 1 <= axes <= rank. (C2) weight and bias, where given, have the shape of those dimensions and x's element type.
    Also gives mean and rstd (shape of the leading dimensions), which the derivative uses.
  }];
  let arguments = (ins RAF_FloatTensor:$x, Optional<RAF_FloatTensor>:$weight, Optional<RAF_FloatTensor>:$bias,
                       I64Attr:$axes, F64Attr:$eps);
  let results = (outs RAF_FloatTensor:$result, RAF_FloatTensor:$mean, RAF_FloatTensor:$rstd);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::High; }
    double getFlops() { return 6 * ::raf::countElements({getX().getType()}); }
    ::raf::ShardingRule getShardingRule();
  }];
}

def RAF_RmsNormOp : RAF_InferredOp<"rms_norm", []> {
  let summary = "x * rstd * weight over the last `axes` dimensions, rstd = 1 / sqrt(mean(x^2) + eps)";
  let description = [{ (C1), (C2) as layer_norm's. }];
  let arguments = (ins RAF_FloatTensor:$x, Optional<RAF_FloatTensor>:$weight, I64Attr:$axes, F64Attr:$eps);
  let results = (outs RAF_FloatTensor:$result, RAF_FloatTensor:$rstd);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::High; }
    double getFlops() { return 6 * ::raf::countElements({getX().getType()}); }
    ::raf::ShardingRule getShardingRule();
  }];
}

#endif
