// Ops that compute each result element from the operands' elements of the same index.
#ifndef RAF_IR_ELEMENTWISE_TD
#define RAF_IR_ELEMENTWISE_TD

include "compiler/ir/Base.td"

class RAF_UnaryOp<string mnemonic, Type type, string formula, list<Trait> traits = []>
    : RAF_Op<mnemonic, !listconcat(traits, [SameOperandsAndResultType])> {
  let summary = formula;
  let arguments = (ins type:$x);
  let results = (outs type:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def RAF_NegOp : RAF_UnaryOp<"neg", RAF_NumTensor, "-x"> { let hasFolder = 1; }
def RAF_AbsOp : RAF_UnaryOp<"abs", RAF_NumTensor, "|x|">;
def RAF_SignOp : RAF_UnaryOp<"sign", RAF_NumTensor, "-1, 0 or 1; NaN gives NaN">;
def RAF_ExpOp : RAF_UnaryOp<"exp", RAF_FloatTensor, "e^x">;
def RAF_Expm1Op : RAF_UnaryOp<"expm1", RAF_FloatTensor, "e^x - 1">;
def RAF_LogOp : RAF_UnaryOp<"log", RAF_FloatTensor, "natural logarithm">;
def RAF_Log1pOp : RAF_UnaryOp<"log1p", RAF_FloatTensor, "log(1 + x)">;
def RAF_SqrtOp : RAF_UnaryOp<"sqrt", RAF_FloatTensor, "square root">;
def RAF_RsqrtOp : RAF_UnaryOp<"rsqrt", RAF_FloatTensor, "1 / sqrt(x)">;
def RAF_ReciprocalOp : RAF_UnaryOp<"reciprocal", RAF_FloatTensor, "1 / x">;
def RAF_SinOp : RAF_UnaryOp<"sin", RAF_FloatTensor, "sine of radians">;
def RAF_CosOp : RAF_UnaryOp<"cos", RAF_FloatTensor, "cosine of radians">;
def RAF_TanOp : RAF_UnaryOp<"tan", RAF_FloatTensor, "tangent of radians">;
def RAF_TanhOp : RAF_UnaryOp<"tanh", RAF_FloatTensor, "hyperbolic tangent">;
def RAF_ErfOp : RAF_UnaryOp<"erf", RAF_FloatTensor, "error function">;
def RAF_SigmoidOp : RAF_UnaryOp<"sigmoid", RAF_FloatTensor, "1 / (1 + e^-x)">;
def RAF_FloorOp : RAF_UnaryOp<"floor", RAF_FloatTensor, "largest integer <= x">;
def RAF_CeilOp : RAF_UnaryOp<"ceil", RAF_FloatTensor, "smallest integer >= x">;
def RAF_RoundOp : RAF_UnaryOp<"round", RAF_FloatTensor, "nearest integer, ties to even">;
def RAF_TruncOp : RAF_UnaryOp<"trunc", RAF_FloatTensor, "x without its fraction">;
def RAF_NotOp : RAF_UnaryOp<"not", RAF_LogicTensor, "bitwise complement; logical on i1">;
def RAF_ReluOp : RAF_UnaryOp<"relu", RAF_NumTensor, "max(x, 0); NaN stays NaN">;
// Composite: see compiler/decompose.
def RAF_SiluOp : RAF_UnaryOp<"silu", RAF_FloatTensor, "x * sigmoid(x)">;
def RAF_SoftplusOp : RAF_UnaryOp<"softplus", RAF_FloatTensor, "log(1 + e^x), without overflow">;
def RAF_GeluOp : RAF_Op<"gelu", [SameOperandsAndResultType]> {
  let summary = "x * Phi(x), exact (erf) or by the tanh approximation";
  let arguments = (ins RAF_FloatTensor:$x, UnitAttr:$tanh);
  let results = (outs RAF_FloatTensor:$result);
  let assemblyFormat = "$x (`tanh` $tanh^)? attr-dict `:` type($x)";
}

class RAF_BinaryOp<string mnemonic, Type type, string formula, list<Trait> traits = []>
    : RAF_Op<mnemonic, !listconcat(traits, [SameOperandsAndResultType])> {
  let summary = formula;
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs)";
}

def RAF_AddOp : RAF_BinaryOp<"add", RAF_NumTensor, "lhs + rhs", [Commutative]> { let hasFolder = 1; }
def RAF_SubOp : RAF_BinaryOp<"sub", RAF_NumTensor, "lhs - rhs"> { let hasFolder = 1; }
def RAF_MulOp : RAF_BinaryOp<"mul", RAF_NumTensor, "lhs * rhs", [Commutative]> { let hasFolder = 1; }
def RAF_DivOp : RAF_BinaryOp<"div", RAF_NumTensor, "lhs / rhs; integers truncate toward zero"> { let hasFolder = 1; }
def RAF_PowOp : RAF_BinaryOp<"pow", RAF_FloatTensor, "lhs ^ rhs">;
def RAF_MaximumOp : RAF_BinaryOp<"maximum", RAF_NumTensor, "greater of both; NaN wins", [Commutative]>;
def RAF_MinimumOp : RAF_BinaryOp<"minimum", RAF_NumTensor, "smaller of both; NaN wins", [Commutative]>;
def RAF_RemainderOp : RAF_BinaryOp<"remainder", RAF_NumTensor, "lhs - floor(lhs / rhs) * rhs (sign of rhs)">;
def RAF_Atan2Op : RAF_BinaryOp<"atan2", RAF_FloatTensor, "angle of the point (rhs, lhs)">;
def RAF_AndOp : RAF_BinaryOp<"and", RAF_LogicTensor, "bitwise and", [Commutative]>;
def RAF_OrOp : RAF_BinaryOp<"or", RAF_LogicTensor, "bitwise or", [Commutative]>;
def RAF_XorOp : RAF_BinaryOp<"xor", RAF_LogicTensor, "bitwise exclusive or", [Commutative]>;

def RAF_CompareKind : I32EnumAttr<"CompareKind", "comparison", [
    I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>,
    I32EnumAttrCase<"le", 3>, I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]> {
  let cppNamespace = "::raf";
}

def RAF_CompareOp : RAF_InferredOp<"compare", [SameTypeOperands]> {
  let summary = "lhs KIND rhs; with a NaN only ne holds";
  let arguments = (ins RAF_Tensor:$lhs, RAF_Tensor:$rhs, RAF_CompareKind:$kind);
  let results = (outs RAF_BoolTensor:$result);
  let assemblyFormat = "$kind $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
}

def RAF_IsNanOp : RAF_InferredOp<"is_nan"> {
  let summary = "whether x is NaN";
  let arguments = (ins RAF_FloatTensor:$x);
  let results = (outs RAF_BoolTensor:$result);
}

def RAF_IsFiniteOp : RAF_InferredOp<"is_finite"> {
  let summary = "whether x is neither NaN nor infinite";
  let arguments = (ins RAF_FloatTensor:$x);
  let results = (outs RAF_BoolTensor:$result);
}

def RAF_SelectOp : RAF_InferredOp<"select"> {
  let summary = "condition ? on_true : on_false, element by element";
  let description = [{ (C1) all shapes are equal. (C2) on_true and on_false have equal types. }];
  let arguments = (ins RAF_BoolTensor:$condition, RAF_Tensor:$on_true, RAF_Tensor:$on_false);
  let results = (outs RAF_Tensor:$result);
  let hasFolder = 1;
}

def RAF_CastOp : RAF_Op<"cast"> {
  let summary = "to another element type, as torch.Tensor.to does";
  let description = [{
    (C1) the shape stays. Float to integer truncates toward zero; to i1 is `x != 0`; float to narrower float
    rounds to nearest even. A cast is never elided when it loses bits.
  }];
  let arguments = (ins RAF_Tensor:$x);
  let results = (outs RAF_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
