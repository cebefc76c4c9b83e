// What an operator says about itself to each stage. Interfaces marked "external" are implemented by
// the stage that asks, as external models in a file named after the op's family (docs/design/spine.md).
#ifndef RAF_IR_INTERFACES_TD
#define RAF_IR_INTERFACES_TD

include "mlir/IR/OpBase.td"

def CastPolicyOpInterface : OpInterface<"CastPolicyOpInterface"> {
  let cppNamespace = "::raf";
  let description = [{
    Mixed precision: `Low` ops run in the low precision (matrix work), `High` ops must stay in float32
    (sums of many values, losses, statistics), `Follow` ops take the widest type of their operands.
  }];
  let methods = [
    InterfaceMethod<"How autocast treats this op.", "::raf::CastPolicy", "getCastPolicy", (ins),
      [{}], [{ return ::raf::CastPolicy::Follow; }]>,
  ];
}

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::raf";
  let description = [{
    Work of the op by itself. The default counts one FLOP per result element.
  }];
  let methods = [
    InterfaceMethod<"Floating-point operations (a multiply-add counts 2).", "double", "getFlops", (ins), [{}],
      [{ return ::raf::countElements($_op->getResultTypes()); }]>,
    InterfaceMethod<"Compulsory memory traffic in bytes when run alone.", "double", "getBytes", (ins), [{}],
      [{ return ::raf::countBytes($_op->getOperandTypes()) + ::raf::countBytes($_op->getResultTypes()); }]>,
    InterfaceMethod<"Whether running it again gives the same bits.", "bool", "isRecomputable", (ins), [{}],
      [{ return true; }]>,
  ];
}

def ShardableOpInterface : OpInterface<"ShardableOpInterface"> {
  let cppNamespace = "::raf";
  let description = [{
    How shardings of operands and results relate: every dimension of every operand and result is given
    a factor; dimensions of one factor are split together. A factor that no result carries is contracted and needs
    the named reduction across shards. A dimension without factor must not be split.
  }];
  let methods = [
    InterfaceMethod<"Factors of operand and result dimensions.", "::raf::ShardingRule", "getShardingRule", (ins), [{}],
      [{ return ::raf::elementwiseShardingRule($_op); }]>,
  ];
}

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::raf";
  let description = [{
    External (compiler/differentiate/rules). The vector-Jacobian product, written with raf ops only.
    `cotangents` has one value per result, null where it is known to be zero. The rule writes into
    `gradients` (one slot per operand) the cotangent of each operand for which `needed` is true, or leaves
    it null when it is zero. Returns failure with a diagnostic when the derivative does not exist in RAF.
  }];
  let methods = [
    InterfaceMethod<"Builds the vector-Jacobian product.", "::mlir::LogicalResult", "vjp",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$cotangents,
           "::llvm::ArrayRef<bool>":$needed, "::llvm::MutableArrayRef<::mlir::Value>":$gradients)>,
    InterfaceMethod<[{Whether any gradient can flow through (false: integer-valued, comparisons, ...).}],
      "bool", "isDifferentiable", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<[{Whether `vjp` covers cotangents of the results marked in `live` and gradients of the operands in `needed`.
                      Where it does not, the op is decomposed and its pieces are differentiated.}],
      "bool", "hasRuleFor", (ins "::llvm::ArrayRef<bool>":$needed, "::llvm::ArrayRef<bool>":$live), [{}], [{ return true; }]>,
  ];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::raf";
  let description = [{
    External (compiler/decompose). The op written with simpler raf ops. Exactly the same arithmetic as generated code
    of the composite op has, since generated code is made from it.
  }];
  let methods = [
    InterfaceMethod<"Builds the replacement; one value per result.",
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose", (ins "::mlir::OpBuilder &":$builder)>,
  ];
}

def ScalarBodyOpInterface : OpInterface<"ScalarBodyOpInterface"> {
  let cppNamespace = "::raf";
  let description = [{
    External (compiler/lower/to_loops). One element of the result from one element of each operand, as LLVM instructions
    that work alike on scalars and vectors (docs/design/codegen.md).
  }];
  let methods = [
    InterfaceMethod<"Emits the body; operands and result are scalars or equal-length vectors of the computing types.",
      "::llvm::Value *", "emitScalar",
      (ins "::raf::gen::BodyBuilder &":$builder, "::llvm::ArrayRef<::llvm::Value *>":$operands)>,
  ];
}

def LoopNestOpInterface : OpInterface<"LoopNestOpInterface"> {
  let cppNamespace = "::raf";
  let description = [{
    External (compiler/lower/to_loops). How the op takes part in a fused group's loop nest.
  }];
  let methods = [
    InterfaceMethod<"The op's role in a loop nest.", "::raf::LoopRole", "getLoopRole", (ins)>,
  ];
}

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::raf";
  let description = [{
    An op of an operator dialect: one launch at run time. Kernels are destination-passing; results are contiguous.
  }];
  let methods = [
    InterfaceMethod<[{Whether result `result` may be written over operand `operand` (same place and size) while the kernel runs.}],
      "bool", "mayOverwrite", (ins "unsigned":$operand, "unsigned":$result), [{}], [{ return false; }]>,
    InterfaceMethod<[{Whether operand `operand` may be a view with these strides (in elements) rather than contiguous.}],
      "bool", "acceptsStrides", (ins "unsigned":$operand, "::llvm::ArrayRef<int64_t>":$shape, "::llvm::ArrayRef<int64_t>":$strides),
      [{}], [{ return true; }]>,
    InterfaceMethod<"Short text for profiles: which computation this is.", "std::string", "getLabel", (ins)>,
  ];
}

def LibraryCallOpInterface : OpInterface<"LibraryCallOpInterface"> {
  let cppNamespace = "::raf";
  let description = [{
    A kernel op that the runtime finds by name in its registry (LibraryCall in Executable.fbs).
  }];
  let methods = [
    InterfaceMethod<"Name and constant arguments of the call.", "::raf::LibraryCallDescription", "describeCall", (ins)>,
  ];
}

def ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let cppNamespace = "::raf";
  let description = [{
    External (compiler/reference). Slow and readable evaluation on host tensors: the oracle.
  }];
  let methods = [
    InterfaceMethod<"Evaluates the op.", "::mlir::LogicalResult", "evaluate",
      (ins "::llvm::ArrayRef<::raf::HostTensor>":$operands, "::llvm::MutableArrayRef<::raf::HostTensor>":$results)>,
  ];
}

#endif
