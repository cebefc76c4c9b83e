#include "compiler/lower/to_rt/Rt.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#include "compiler/lower/to_rt/RtDialect.cpp.inc"
#define GET_OP_CLASSES
#include "compiler/lower/to_rt/RtOps.cpp.inc"

namespace raf::rt {

void RtDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/lower/to_rt/RtOps.cpp.inc"
      >();
}

bool SortOp::acceptsStrides(unsigned, llvm::ArrayRef<int64_t>, llvm::ArrayRef<int64_t>) {
  return true;
}
bool TopKOp::acceptsStrides(unsigned, llvm::ArrayRef<int64_t>, llvm::ArrayRef<int64_t>) {
  return true;
}
std::string SortOp::getLabel() { return "sort"; }
std::string TopKOp::getLabel() { return "topk"; }
LibraryCallDescription SortOp::describeCall() {
  return {"rt.sort", {static_cast<int64_t>(getDim()), getDescending() ? 1 : 0}, {}, {}};
}
LibraryCallDescription TopKOp::describeCall() {
  return {"rt.topk", {static_cast<int64_t>(getK()), static_cast<int64_t>(getDim())}, {}, {}};
}

} // namespace raf::rt
