// What holds after the cover. Labels are those of docs/design/cover.md.
#include "compiler/cover/Cover.h"

#include "compiler/ir/Views.h"
#include "compiler/lower/to_loops/Codegen.h"

using namespace mlir;

namespace raf::cover {

namespace {

LogicalResult verifyGroup(gen::KernelOp kernel) {
  llvm::SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (!isa<RafDialect>(op.getDialect()))
      return op.emitError("(V3) expected only raf ops in a generated kernel, but got '")
             << op.getName() << "'";
    ops.push_back(&op);
  }
  llvm::SmallVector<Value> outputs(kernel.getBody().front().getTerminator()->getOperands());
  std::string why;
  if (!gen::checkGroup(ops, outputs, &why))
    return kernel.emitError("(V3) expected a group that has a loop nest, but got one where ")
           << why;
  return success();
}

LogicalResult verifyOperands(KernelOpInterface kernel) {
  for (auto [index, value] : llvm::enumerate(kernel->getOperands())) {
    ViewLayout layout = viewLayout(value);
    if (!layout.isContiguous(shapeOf(value)) &&
        !kernel.acceptsStrides(index, shapeOf(value), layout.strides))
      return kernel->emitError("(V4) expected operand ")
             << index << " in strides that the kernel takes, but got a view that it does not";
  }
  if (!kernel->getAttrOfType<FloatAttr>(names::kSeconds))
    return kernel->emitError("(V5) expected the attribute '") << names::kSeconds << "'";
  return success();
}

} // namespace

LogicalResult verifyCovered(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("(V1) expected one block, but got ")
           << function.getBody().getBlocks().size();
  for (Operation &op : function.getBody().front()) {
    if (auto end = dyn_cast<func::ReturnOp>(op)) {
      for (auto [index, value] : llvm::enumerate(end.getOperands()))
        if (!viewLayout(value).isContiguous(shapeOf(value)))
          return end.emitError(
                     "(V6) expected a contiguous value, but got a strided view as result ")
                 << index;
      continue;
    }
    if (isa<raf::ConstantOp>(op))
      continue;
    if (isViewKind(&op)) {
      if (!isView(&op))
        return op.emitError("(V2) expected '")
               << op.getName() << "' between kernels to be a view, but it has to move elements"
               << " (the cover should have put it into a kernel)";
      continue;
    }
    auto kernel = dyn_cast<KernelOpInterface>(op);
    if (!kernel)
      return op.emitError("(V1) expected a kernel, a view or a constant, but got '")
             << op.getName() << "' (the cover should have put it into a kernel)";
    if (failed(verifyOperands(kernel)))
      return failure();
    if (auto group = dyn_cast<gen::KernelOp>(op); group && failed(verifyGroup(group)))
      return failure();
  }
  return success();
}

} // namespace raf::cover
