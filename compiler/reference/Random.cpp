#include "common/Philox.h"

#include "compiler/reference/Models.h"

using namespace mlir;

namespace raf::reference {
namespace {

template <typename Op, auto draw> LogicalResult random(Op op, Operands operands, Results results) {
  philox::Stream stream{static_cast<uint64_t>(operands[0].ints()[0]),
                        static_cast<uint64_t>(operands[0].ints()[1]),
                        static_cast<uint32_t>(op.getId())};
  for (int64_t i = 0; i < results[0].size(); ++i)
    results[0].setFloat(i, draw(stream, static_cast<uint64_t>(i)));
  return success();
}

} // namespace

void attachRandom(MLIRContext &c) {
  attach<UniformOp, random<UniformOp, philox::uniform>>(c);
  attach<NormalOp, random<NormalOp, philox::normal>>(c);
}

} // namespace raf::reference
