#include "compiler/ir/Raf.h"

using namespace mlir;

namespace raf {
namespace {

LogicalResult checkKey(Operation *op, Value key, llvm::StringRef label) {
  if (shapeOf(key) != llvm::ArrayRef<int64_t>{2})
    return op->emitOpError(label) << " expected a key of type tensor<2xi64>, but got "
                                  << key.getType();
  return success();
}

} // namespace

LogicalResult UniformOp::verify() { return checkKey(*this, getKey(), "(C1)"); }
LogicalResult NormalOp::verify() { return checkKey(*this, getKey(), "(C1)"); }

LogicalResult DropoutOp::verify() {
  double p = getP().convertToDouble();
  if (!(p >= 0 && p <= 1))
    return emitOpError("(C1) expected 0 <= p <= 1, but got ") << p;
  if (getX().getType() != getResult().getType())
    return emitOpError("(C1) expected equal types of x and result, but got ")
           << getX().getType() << " and " << getResult().getType();
  return checkKey(*this, getKey(), "(C2)");
}

} // namespace raf
