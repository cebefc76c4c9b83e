// Constants, and ops that move elements without computing.
#ifndef RAF_IR_SHAPE_TD
#define RAF_IR_SHAPE_TD

include "compiler/ir/Base.td"

def RAF_ConstantOp : RAF_Op<"constant", [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a tensor known at compile time";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs RAF_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def RAF_IotaOp : RAF_Op<"iota"> {
  let summary = "result[..., i at `dim`, ...] = i";
  let description = [{ (C1) 0 <= dim < rank. }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs RAF_NumTensor:$result);
  let extraClassDeclaration = [{
    double getFlops() { return 0; }
    ::raf::ShardingRule getShardingRule();
  }];
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def RAF_ReshapeOp : RAF_Op<"reshape"> {
  let summary = "same elements in row-major order, other shape";
  let description = [{ (C1) equal element type. (C2) equal number of elements. }];
  let arguments = (ins RAF_Tensor:$x);
  let results = (outs RAF_Tensor:$result);
  let extraClassDeclaration = [{
    double getFlops() { return 0; }
    ::raf::ShardingRule getShardingRule();
  }];
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def RAF_TransposeOp : RAF_InferredOp<"transpose"> {
  let summary = "result dimension i is operand dimension permutation[i]";
  let description = [{ (C1) permutation is a permutation of 0..rank-1. }];
  let arguments = (ins RAF_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs RAF_Tensor:$result);
  let extraClassDeclaration = [{
    double getFlops() { return 0; }
    ::raf::ShardingRule getShardingRule();
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def RAF_BroadcastOp : RAF_Op<"broadcast"> {
  let summary = "repeats along new dimensions and dimensions of extent 1";
  let description = [{
    Operand dimension i becomes result dimension dimensions[i].
    (C1) dimensions are strictly increasing and within the result's rank. (C2) operand extent i is 1 or equals result extent
    dimensions[i]. (C3) equal element type.
  }];
  let arguments = (ins RAF_Tensor:$x, DenseI64ArrayAttr:$dimensions);
  let results = (outs RAF_Tensor:$result);
  let extraClassDeclaration = [{
    double getFlops() { return 0; }
    ::raf::ShardingRule getShardingRule();
  }];
  let assemblyFormat = "$x `dims` $dimensions attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def RAF_SliceOp : RAF_InferredOp<"slice"> {
  let summary = "elements starts[i], starts[i] + strides[i], ... below limits[i]";
  let description = [{
    (C1) one start, limit and stride per dimension. (C2) 0 <= start <= limit <= extent. (C3) stride >= 1.
  }];
  let arguments = (ins RAF_Tensor:$x, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$strides);
  let results = (outs RAF_Tensor:$result);
  let extraClassDeclaration = [{
    double getFlops() { return 0; }
    ::raf::ShardingRule getShardingRule();
  }];
  let hasFolder = 1;
}

def RAF_ConcatOp : RAF_InferredOp<"concat"> {
  let summary = "joins operands along `dim`";
  let description = [{ (C1) 0 <= dim < rank. (C2) at least one operand; equal element types and ranks. (C3) other extents are equal. }];
  let arguments = (ins Variadic<RAF_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs RAF_Tensor:$result);
  let extraClassDeclaration = [{
    double getFlops() { return 0; }
    ::raf::ShardingRule getShardingRule();
  }];
  let hasFolder = 1;
}

def RAF_PadOp : RAF_InferredOp<"pad"> {
  let summary = "adds low[i] and high[i] elements of `value` around each dimension";
  let description = [{ (C1) one low and high per dimension, all >= 0. (C2) value is rank 0 of the same element type. }];
  let arguments = (ins RAF_Tensor:$x, RAF_Tensor:$value, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high);
  let results = (outs RAF_Tensor:$result);
  let extraClassDeclaration = [{
    double getFlops() { return 0; }
    ::raf::ShardingRule getShardingRule();
  }];
}

def RAF_ReverseOp : RAF_Op<"reverse", [SameOperandsAndResultType]> {
  let summary = "reverses the order along dims";
  let description = [{ (C1) dims are distinct and within the rank. }];
  let arguments = (ins RAF_Tensor:$x, DenseI64ArrayAttr:$dims);
  let results = (outs RAF_Tensor:$result);
  let extraClassDeclaration = [{
    double getFlops() { return 0; }
    ::raf::ShardingRule getShardingRule();
  }];
  let assemblyFormat = "$x `dims` $dims attr-dict `:` type($x)";
  let hasVerifier = 1;
}

#endif
