// The onednn dialect: kernels of the oneDNN library.
#ifndef RAF_LOWER_ONEDNN_TD
#define RAF_LOWER_ONEDNN_TD

include "compiler/ir/Base.td"

def OneDnn_Dialect : Dialect {
  let name = "onednn";
  let cppNamespace = "::raf::onednn";
  let summary = "kernels of the oneDNN library";
  let dependentDialects = ["::raf::RafDialect"];
}

def OneDnn_MatmulOp : Op<OneDnn_Dialect, "matmul", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<KernelOpInterface, ["mayOverwrite", "acceptsStrides", "getLabel"]>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface>, CostOpInterface]> {
  let summary = "a b (+ bias) (+ accumulator)";
  let description = [{
    Shapes as raf.matmul's; transposes are strides, never copies. bias has shape (N). The accumulator has the result's type and may
    be overwritten by it.
  }];
  let arguments = (ins RAF_FloatTensor:$a, RAF_FloatTensor:$b, Optional<RAF_FloatTensor>:$bias, Optional<RAF_FloatTensor>:$accumulator,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs RAF_FloatTensor:$result);
  let assemblyFormat = "$a `,` $b (`bias` $bias^)? (`accumulate` $accumulator^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{ double getFlops(); }];
}

#endif
