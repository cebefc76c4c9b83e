#include "compiler/lower/to_onednn/OneDnn.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#include "compiler/lower/to_onednn/OneDnnDialect.cpp.inc"
#define GET_OP_CLASSES
#include "compiler/lower/to_onednn/OneDnnOps.cpp.inc"

namespace raf::onednn {

void OneDnnDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/lower/to_onednn/OneDnnOps.cpp.inc"
      >();
}

LogicalResult MatmulOp::verify() {
  // The shape rules are raf.matmul's.
  llvm::SmallVector<Type> types;
  OperationState state(getLoc(), raf::MatmulOp::getOperationName());
  raf::MatmulOp::Properties properties;
  properties.transpose_a = getTransposeAAttr();
  properties.transpose_b = getTransposeBAttr();
  if (failed(raf::MatmulOp::inferReturnTypes(getContext(), getLoc(), {getA(), getB()},
                                             DictionaryAttr::get(getContext()), &properties, {},
                                             types)))
    return failure();
  if (types.front() != getResult().getType())
    return emitOpError("expected a result of type ")
           << types.front() << ", but got " << getResult().getType();
  auto biasType = RankedTensorType::get({shapeOf(getResult()).back()}, elementType(getResult()));
  if (getBias() && getBias().getType() != biasType)
    return emitOpError("expected a bias of type ")
           << biasType << ", but got " << getBias().getType();
  if (getAccumulator() && getAccumulator().getType() != getResult().getType())
    return emitOpError("expected an accumulator of type ")
           << getResult().getType() << ", but got " << getAccumulator().getType();
  return success();
}

bool MatmulOp::mayOverwrite(unsigned operand, unsigned) {
  return getAccumulator() && operand == (*this)->getNumOperands() - 1;
}

bool acceptsMatrix(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides) {
  size_t r = shape.size();
  int64_t rows = shape[r - 2], columns = shape[r - 1], rowStride = strides[r - 2],
          columnStride = strides[r - 1];
  bool rowMajor = (columnStride == 1 || columns == 1) && (rowStride >= columns || rows == 1);
  bool columnMajor = (rowStride == 1 || rows == 1) && (columnStride >= rows || columns == 1);
  return rowMajor || columnMajor;
}

bool MatmulOp::acceptsStrides(unsigned operand, llvm::ArrayRef<int64_t> shape,
                              llvm::ArrayRef<int64_t> strides) {
  return operand < 2 && acceptsMatrix(shape, strides);
}

std::string MatmulOp::getLabel() {
  std::string label = "matmul";
  if (getBias())
    label += "+bias";
  if (getAccumulator())
    label += "+accumulate";
  return label;
}

LibraryCallDescription MatmulOp::describeCall() {
  llvm::SmallVector<unsigned> transposed;
  if (getTransposeA())
    transposed.push_back(0);
  if (getTransposeB())
    transposed.push_back(1);
  return {"onednn.matmul", {getBias() ? 1 : 0, getAccumulator() ? 1 : 0}, {}, {}, transposed};
}

double MatmulOp::getFlops() {
  int64_t k = getTransposeA() ? shapeOf(getA())[rankOf(getA()) - 2] : shapeOf(getA()).back();
  return 2.0 * countElements({getResult().getType()}) * static_cast<double>(k);
}

} // namespace raf::onednn
