#include "compiler/lower/to_rt/Rt.h"

#include "compiler/reference/Sort.h"

using namespace mlir;

namespace raf::reference {
namespace {

LogicalResult sort(rt::SortOp op, Operands operands, Results results) {
  sortLines(operands[0], op.getDim(), op.getDescending(), results);
  return success();
}

LogicalResult topK(rt::TopKOp op, Operands operands, Results results) {
  sortLines(operands[0], op.getDim(), true, results);
  return success();
}

} // namespace

void attachRt(MLIRContext &c) {
  attach<rt::SortOp, sort>(c);
  attach<rt::TopKOp, topK>(c);
}

} // namespace raf::reference
