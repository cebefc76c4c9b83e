// The gen dialect: kernels whose machine code we generate.
#ifndef RAF_LOWER_GEN_TD
#define RAF_LOWER_GEN_TD

include "compiler/ir/Base.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Gen_Dialect : Dialect {
  let name = "gen";
  let cppNamespace = "::raf::gen";
  let summary = "fused groups of raf ops, compiled to machine code";
  let dependentDialects = ["::raf::RafDialect"];
}

def Gen_KernelOp : Op<Gen_Dialect, "kernel", [Pure, IsolatedFromAbove, SingleBlock,
    DeclareOpInterfaceMethods<KernelOpInterface, ["mayOverwrite", "acceptsStrides", "getLabel"]>, CostOpInterface]> {
  let summary = "a fused group";
  let description = [{
    The region computes the results from the inputs with raf ops; codegen makes one machine-code function of it
    (docs/design/codegen.md).
    (C1) block arguments have the inputs' types. (C2) gen.yield gives the results' types. (C3) the group has a loop nest.
  }];
  let arguments = (ins Variadic<RAF_Tensor>:$inputs);
  let results = (outs Variadic<RAF_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{ double getFlops(); }];
}

def Gen_YieldOp : Op<Gen_Dialect, "yield", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "results of a fused group";
  let arguments = (ins Variadic<RAF_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif
