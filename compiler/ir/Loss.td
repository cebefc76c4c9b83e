// Losses. Composite ops, kept whole for kernels that never store their intermediates.
#ifndef RAF_IR_LOSS_TD
#define RAF_IR_LOSS_TD

include "compiler/ir/Base.td"

def RAF_Reduction : I32EnumAttr<"Reduction", "what is done over samples", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"mean", 1>, I32EnumAttrCase<"sum", 2>]> {
  let cppNamespace = "::raf";
}

def RAF_CrossEntropyOp : RAF_InferredOp<"cross_entropy", []> {
  let summary = "-log softmax(logits)[label], as torch.nn.functional.cross_entropy";
  let description = [{
    logits (N, C), labels (N) -> loss () or (N), logsumexp (N) which the derivative uses.
    (C1) ranks 2 and 1, equal N. (C2) 0 <= label_smoothing <= 1. (C3) weight, where given, is (C) of logits' element type.
    Samples with label = ignore_index count neither in the sum nor in the mean's divisor (the sum of their weights).
  }];
  let arguments = (ins RAF_FloatTensor:$logits, RAF_IndexTensor:$labels, Optional<RAF_FloatTensor>:$weight,
                       RAF_Reduction:$reduction, DefaultValuedAttr<I64Attr, "-100">:$ignore_index,
                       DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing);
  let results = (outs RAF_FloatTensor:$loss, RAF_FloatTensor:$logsumexp);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::High; }
    double getFlops() { return 4 * ::raf::countElements({getLogits().getType()}); }
    ::raf::ShardingRule getShardingRule();
  }];
}

// (C1) input and target have equal types.
class RAF_PairLossOp<string mnemonic, string formula, dag extra = (ins)> : RAF_InferredOp<mnemonic, [AllTypesMatch<["input", "target"]>]> {
  let summary = formula;
  let description = [{ (C1) input and target have equal types. Result is rank 0, or input's type with reduction none. }];
  let arguments = !con((ins RAF_FloatTensor:$input, RAF_FloatTensor:$target, RAF_Reduction:$reduction), extra);
  let results = (outs RAF_FloatTensor:$result);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::High; }
    double getFlops() { return 4 * ::raf::countElements({getInput().getType()}); }
    ::raf::ShardingRule getShardingRule();
  }];
}
def RAF_MseLossOp : RAF_PairLossOp<"mse_loss", "(input - target)^2">;
def RAF_L1LossOp : RAF_PairLossOp<"l1_loss", "|input - target|">;
def RAF_HuberLossOp : RAF_PairLossOp<"huber_loss", "0.5 d^2 for |d| <= delta, else delta (|d| - 0.5 delta)", (ins F64Attr:$delta)>;
def RAF_SmoothL1LossOp : RAF_PairLossOp<"smooth_l1_loss", "0.5 d^2 / beta for |d| < beta, else |d| - 0.5 beta", (ins F64Attr:$beta)>;
def RAF_BceLossOp : RAF_PairLossOp<"bce_loss", "-(t log x + (1-t) log(1-x)), logarithms clamped at -100">;
def RAF_BceWithLogitsLossOp : RAF_PairLossOp<"bce_with_logits_loss", "binary cross entropy of sigmoid(input), without overflow">;
def RAF_KlDivLossOp : RAF_PairLossOp<"kl_div_loss", "t (log t - x); with log_target e^t (t - x)", (ins UnitAttr:$log_target)>;

#endif
