// The rt dialect: portable C++ kernels of the runtime for what is no loop nest.
#ifndef RAF_LOWER_RT_TD
#define RAF_LOWER_RT_TD

include "compiler/ir/Base.td"

def Rt_Dialect : Dialect {
  let name = "rt";
  let cppNamespace = "::raf::rt";
  let summary = "portable C++ kernels of the runtime: a short, listed set";
  let dependentDialects = ["::raf::RafDialect"];
}

class Rt_KernelOp<string mnemonic> : Op<Rt_Dialect, mnemonic, [Pure,
    DeclareOpInterfaceMethods<KernelOpInterface, ["acceptsStrides", "getLabel"]>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface>, CostOpInterface]> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Rt_SortOp : Rt_KernelOp<"sort"> {
  let summary = "as raf.sort";
  let arguments = (ins RAF_NumTensor:$x, I64Attr:$dim, UnitAttr:$descending);
  let results = (outs RAF_NumTensor:$values, StaticShapeTensorOf<[I64]>:$indices);
}

def Rt_TopKOp : Rt_KernelOp<"topk"> {
  let summary = "as raf.topk";
  let arguments = (ins RAF_NumTensor:$x, I64Attr:$k, I64Attr:$dim);
  let results = (outs RAF_NumTensor:$values, StaticShapeTensorOf<[I64]>:$indices);
}

#endif
