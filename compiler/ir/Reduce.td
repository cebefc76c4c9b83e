// Reductions and scans.
#ifndef RAF_IR_REDUCE_TD
#define RAF_IR_REDUCE_TD

include "compiler/ir/Base.td"

class RAF_ReduceOp<string mnemonic, Type type, string formula> : RAF_InferredOp<mnemonic> {
  let summary = formula;
  let description = [{ (C1) dims are strictly increasing and within the rank; they are removed from the shape. }];
  let arguments = (ins type:$x, DenseI64ArrayAttr:$dims);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::High; }
    double getFlops() { return ::raf::countElements((*this)->getOperandTypes()); }
    ::raf::ShardingRule getShardingRule();
  }];
  let results = (outs type:$result);
  let assemblyFormat = "$x `dims` $dims attr-dict `:` type($x) `->` type($result)";
}

def RAF_ReduceSumOp : RAF_ReduceOp<"reduce_sum", RAF_NumTensor, "sum over dims; 0 when empty"> { let hasFolder = 1; }
def RAF_ReduceMaxOp : RAF_ReduceOp<"reduce_max", RAF_NumTensor, "maximum over dims; NaN wins; lowest value when empty">;
def RAF_ReduceMinOp : RAF_ReduceOp<"reduce_min", RAF_NumTensor, "minimum over dims; NaN wins; highest value when empty">;
def RAF_ReduceProdOp : RAF_ReduceOp<"reduce_prod", RAF_NumTensor, "product over dims; 1 when empty">;
def RAF_ReduceAnyOp : RAF_ReduceOp<"reduce_any", RAF_BoolTensor, "whether any is true">;
def RAF_ReduceAllOp : RAF_ReduceOp<"reduce_all", RAF_BoolTensor, "whether all are true">;
// Composite.
def RAF_MeanOp : RAF_ReduceOp<"mean", RAF_FloatTensor, "mean over dims">;
def RAF_LogSumExpOp : RAF_ReduceOp<"logsumexp", RAF_FloatTensor, "log of the sum of exponentials over dims, without overflow">;
def RAF_VarOp : RAF_InferredOp<"var"> {
  let summary = "variance over dims, divided by (count - correction)";
  let description = [{ (C1) as the other reductions. }];
  let arguments = (ins RAF_FloatTensor:$x, DenseI64ArrayAttr:$dims, I64Attr:$correction);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::High; }
    double getFlops() { return ::raf::countElements((*this)->getOperandTypes()); }
    ::raf::ShardingRule getShardingRule();
  }];
  let results = (outs RAF_FloatTensor:$result);
}

class RAF_ArgReduceOp<string mnemonic, string formula> : RAF_InferredOp<mnemonic> {
  let summary = formula;
  let description = [{ (C1) 0 <= dim < rank and the extent of dim is not 0. }];
  let arguments = (ins RAF_NumTensor:$x, I64Attr:$dim);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::High; }
    double getFlops() { return ::raf::countElements((*this)->getOperandTypes()); }
    ::raf::ShardingRule getShardingRule();
  }];
  let results = (outs StaticShapeTensorOf<[I64]>:$result);
}
def RAF_ArgMaxOp : RAF_ArgReduceOp<"argmax", "index of the first maximum along dim; the first NaN wins">;
def RAF_ArgMinOp : RAF_ArgReduceOp<"argmin", "index of the first minimum along dim; the first NaN wins">;

def RAF_CumSumOp : RAF_Op<"cumsum", [SameOperandsAndResultType]> {
  let summary = "running sum along dim, from the end when `reverse`";
  let description = [{ (C1) 0 <= dim < rank. }];
  let arguments = (ins RAF_NumTensor:$x, I64Attr:$dim, UnitAttr:$reverse);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::High; }
    double getFlops() { return ::raf::countElements((*this)->getOperandTypes()); }
    ::raf::ShardingRule getShardingRule();
  }];
  let results = (outs RAF_NumTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let hasVerifier = 1;
}

def RAF_SortOp : RAF_InferredOp<"sort"> {
  let summary = "stable sort along dim; NaN is greatest; also the indices";
  let description = [{ (C1) 0 <= dim < rank. }];
  let arguments = (ins RAF_NumTensor:$x, I64Attr:$dim, UnitAttr:$descending);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::High; }
    double getFlops() { return ::raf::countElements((*this)->getOperandTypes()); }
    ::raf::ShardingRule getShardingRule();
  }];
  let results = (outs RAF_NumTensor:$values, StaticShapeTensorOf<[I64]>:$indices);
}

def RAF_TopKOp : RAF_InferredOp<"topk"> {
  let summary = "the k greatest along dim in descending order, and their indices; the first of equals wins";
  let description = [{ (C1) 0 <= dim < rank. (C2) 0 <= k <= extent of dim. }];
  let arguments = (ins RAF_NumTensor:$x, I64Attr:$k, I64Attr:$dim);
  let extraClassDeclaration = [{
    ::raf::CastPolicy getCastPolicy() { return ::raf::CastPolicy::High; }
    double getFlops() { return ::raf::countElements((*this)->getOperandTypes()); }
    ::raf::ShardingRule getShardingRule();
  }];
  let results = (outs RAF_NumTensor:$values, StaticShapeTensorOf<[I64]>:$indices);
}

#endif
