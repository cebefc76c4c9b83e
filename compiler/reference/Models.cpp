#include "compiler/reference/Models.h"

#include "compiler/lower/to_onednn/OneDnn.h"
#include "compiler/lower/to_rt/Rt.h"

using namespace mlir;

namespace raf {
namespace reference {

llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

void forEach(llvm::ArrayRef<int64_t> shape, int64_t start, llvm::ArrayRef<int64_t> strides,
             llvm::function_ref<void(int64_t, int64_t)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  int64_t linear = 0, offset = start;
  while (true) {
    visit(linear++, offset);
    int64_t dim = static_cast<int64_t>(shape.size()) - 1;
    for (; dim >= 0; --dim) {
      offset += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      offset -= strides[dim] * shape[dim];
      index[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

LogicalResult checkIndex(Operation *op, int64_t index, int64_t extent) {
  if (index >= 0 && index < extent)
    return success();
  return op->emitOpError("expected an index within [0, ") << extent << "), but got " << index;
}

} // namespace reference

void registerReference(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RafDialect *) {
    reference::attachElementwise(*context);
    reference::attachShape(*context);
    reference::attachIndexing(*context);
    reference::attachReduce(*context);
    reference::attachContraction(*context);
    reference::attachNormalization(*context);
    reference::attachAttention(*context);
    reference::attachRandom(*context);
    reference::attachLoss(*context);
  });
  registry.addExtension(
      +[](MLIRContext *context, onednn::OneDnnDialect *) { reference::attachOneDnn(*context); });
  registry.addExtension(
      +[](MLIRContext *context, rt::RtDialect *) { reference::attachRt(*context); });
}

} // namespace raf
