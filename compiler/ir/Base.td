// The raf dialect and what all op families share.
#ifndef RAF_IR_BASE_TD
#define RAF_IR_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "compiler/ir/Interfaces.td"

def Raf_Dialect : Dialect {
  let name = "raf";
  let cppNamespace = "::raf";
  let summary = "training programs on ranked, static tensors with value semantics";
  let description = [{
    A whole training step is one function of this dialect: the forward model, its derivative and the optimizer. Element-wise
    ops take equal shapes; broadcasting is an op of its own. See docs/design/ir.md.
  }];
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def RAF_FloatElem : AnyTypeOf<[F32, F64, BF16, F16]>;
def RAF_IntElem : AnyTypeOf<[I1, I8, I16, I32, I64, UI8]>;
def RAF_AnyElem : AnyTypeOf<[F32, F64, BF16, F16, I1, I8, I16, I32, I64, UI8]>;

def RAF_Tensor : StaticShapeTensorOf<[RAF_AnyElem]>;
def RAF_FloatTensor : StaticShapeTensorOf<[RAF_FloatElem]>;
def RAF_NumTensor : StaticShapeTensorOf<[AnyTypeOf<[F32, F64, BF16, F16, I8, I16, I32, I64, UI8]>]>;
def RAF_IntTensor : StaticShapeTensorOf<[AnyTypeOf<[I8, I16, I32, I64, UI8]>]>;
def RAF_LogicTensor : StaticShapeTensorOf<[RAF_IntElem]>;
def RAF_BoolTensor : StaticShapeTensorOf<[I1]>;
def RAF_IndexTensor : StaticShapeTensorOf<[AnyTypeOf<[I32, I64]>]>;
def RAF_F32Scalar : 0DTensorOf<[F32]>;
def RAF_I64Scalar : 0DTensorOf<[I64]>;
// (seed, step): what every random op depends on besides its own id.
def RAF_Key : StaticShapeTensorOf<[I64]>;

// Every op says how it is cast, what it costs and how it may be sharded. The defaults suit elementwise ops; an op that differs
// declares its own method in extraClassDeclaration, which hides the default.
class RAF_Op<string mnemonic, list<Trait> traits = []>
    : Op<Raf_Dialect, mnemonic, !listconcat(traits, [Pure,
        CastPolicyOpInterface, CostOpInterface, ShardableOpInterface])> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// An op whose result types follow from operands and attributes; `inferReturnTypes` is also its verifier.
class RAF_InferredOp<string mnemonic, list<Trait> traits = []>
    : RAF_Op<mnemonic, !listconcat(traits, [DeclareOpInterfaceMethods<InferTypeOpInterface>])>;

#endif
