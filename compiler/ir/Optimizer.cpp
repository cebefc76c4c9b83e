#include "compiler/ir/Raf.h"

using namespace mlir;

namespace raf {

LogicalResult verifySameTypeUpdate(Operation *op) {
  // Operands end with lr, scale, step; all before and all results share param's type.
  Type type = op->getOperand(0).getType();
  for (Value v : op->getOperands().drop_back(3))
    if (v.getType() != type)
      return op->emitOpError("(C1) expected grad and slots of type ")
             << type << ", but got " << v.getType();
  for (Value v : op->getResults())
    if (v.getType() != type)
      return op->emitOpError("(C1) expected new values of type ")
             << type << ", but got " << v.getType();
  return success();
}

} // namespace raf
