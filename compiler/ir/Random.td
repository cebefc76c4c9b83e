// Random numbers from the counter generator (common/Philox.h): a value is a function of key = (seed, step), the op's id and the
// row-major index of the element, so recomputation and sharding cannot change it.
#ifndef RAF_IR_RANDOM_TD
#define RAF_IR_RANDOM_TD

include "compiler/ir/Base.td"

class RAF_RandomOp<string mnemonic, string formula> : RAF_Op<mnemonic> {
  let summary = formula;
  let description = [{ (C1) key is tensor<2xi64>. }];
  let arguments = (ins RAF_Key:$key, I64Attr:$id);
  let results = (outs StaticShapeTensorOf<[F32]>:$result);
  let assemblyFormat = "$key attr-dict `:` type($key) `->` type($result)";
  let hasVerifier = 1;
}
def RAF_UniformOp : RAF_RandomOp<"uniform", "uniform in [0, 1), multiples of 2^-24">;
def RAF_NormalOp : RAF_RandomOp<"normal", "standard normal (Box-Muller on two words)">;

def RAF_DropoutOp : RAF_Op<"dropout"> {
  let summary = "0 with probability p, else x / (1 - p)";
  let description = [{ (C1) 0 <= p <= 1 (p = 1 gives 0). (C2) key is tensor<2xi64>. An element is kept when uniform >= p. }];
  let arguments = (ins RAF_FloatTensor:$x, RAF_Key:$key, F64Attr:$p, I64Attr:$id);
  let results = (outs RAF_FloatTensor:$result);
  let assemblyFormat = "$x `,` $key attr-dict `:` type($x) `,` type($key) `->` type($result)";
  let hasVerifier = 1;
}

#endif
