// Ops that read or write at computed indices. An index outside [0, extent) is an error of the program: the reference
// reports it, generated code clamps it (memory stays safe) unless compiled with checks.
#ifndef RAF_IR_INDEXING_TD
#define RAF_IR_INDEXING_TD

include "compiler/ir/Base.td"

def RAF_EmbeddingOp : RAF_InferredOp<"embedding"> {
  let summary = "result[i..., :] = weight[ids[i...], :]";
  let description = [{ (C1) weight has rank 2. `padding_idx`: that row gets no gradient. }];
  let arguments = (ins RAF_FloatTensor:$weight, RAF_IndexTensor:$ids, OptionalAttr<I64Attr>:$padding_idx);
  let results = (outs RAF_FloatTensor:$result);
  let extraClassDeclaration = [{ ::raf::ShardingRule getShardingRule(); }];
}

def RAF_EmbeddingGradOp : RAF_InferredOp<"embedding_grad"> {
  let summary = "result[r, :] = sum of grad[i..., :] over all i with ids[i...] = r, in row-major order of i";
  let description = [{ (C1) grad's shape is ids' shape and one more dimension. Result is (rows, that dimension). }];
  let arguments = (ins RAF_FloatTensor:$grad, RAF_IndexTensor:$ids, I64Attr:$rows, OptionalAttr<I64Attr>:$padding_idx);
  let results = (outs RAF_FloatTensor:$result);
  let extraClassDeclaration = [{ ::raf::ShardingRule getShardingRule(); }];
}

def RAF_TakeOp : RAF_InferredOp<"take"> {
  let summary = "slices of x along `dim` at `indices` (any shape, its dimensions replace dim)";
  let description = [{ (C1) 0 <= dim < rank of x. }];
  let arguments = (ins RAF_Tensor:$x, RAF_IndexTensor:$indices, I64Attr:$dim);
  let results = (outs RAF_Tensor:$result);
  let extraClassDeclaration = [{ ::raf::ShardingRule getShardingRule(); }];
}

def RAF_PutAddOp : RAF_Op<"put_add", [AllTypesMatch<["base", "result"]>]> {
  let summary = "base with updates added to its slices along `dim` at `indices`; the adjoint of take";
  let description = [{ (C1) updates has the type that take(base, indices, dim) has. Duplicates accumulate in row-major order of the indices. }];
  let arguments = (ins RAF_NumTensor:$base, RAF_IndexTensor:$indices, RAF_NumTensor:$updates, I64Attr:$dim);
  let results = (outs RAF_NumTensor:$result);
  let extraClassDeclaration = [{ ::raf::ShardingRule getShardingRule(); }];
  let hasVerifier = 1;
}

def RAF_GatherOp : RAF_InferredOp<"gather"> {
  let summary = "result[..., i, ...] = x[..., indices[..., i, ...], ...] along `dim` (torch.gather)";
  let description = [{ (C1) 0 <= dim < rank; equal ranks. (C2) indices' extents other than dim do not exceed x's. }];
  let arguments = (ins RAF_Tensor:$x, RAF_IndexTensor:$indices, I64Attr:$dim);
  let results = (outs RAF_Tensor:$result);
  let extraClassDeclaration = [{ ::raf::ShardingRule getShardingRule(); }];
}

def RAF_ScatterAddOp : RAF_Op<"scatter_add", [AllTypesMatch<["base", "result"]>]> {
  let summary = "base with updates added at indices along `dim`; the adjoint of gather";
  let description = [{ (C1) updates and indices have equal shapes. (C2) as gather's. Duplicates accumulate in row-major order. }];
  let arguments = (ins RAF_NumTensor:$base, RAF_IndexTensor:$indices, RAF_NumTensor:$updates, I64Attr:$dim);
  let results = (outs RAF_NumTensor:$result);
  let extraClassDeclaration = [{ ::raf::ShardingRule getShardingRule(); }];
  let hasVerifier = 1;
}

#endif
