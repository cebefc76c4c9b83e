#include "compiler/ir/Raf.h"

using namespace mlir;

namespace raf {

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                         ValueRange operands, DictionaryAttr attributes,
                                         OpaqueProperties properties, RegionRange regions,
                                         llvm::SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  llvm::ArrayRef<int64_t> a = shapeOf(operands[0]), b = shapeOf(operands[1]);
  if (a.size() < 2 || b.size() < 2)
    return emitOptionalError(loc, "'raf.matmul' op (C1) expected operands of rank >= 2, but got ",
                             operands[0].getType(), " and ", operands[1].getType());
  int64_t m = op.getTransposeA() ? a.back() : a[a.size() - 2],
          ka = op.getTransposeA() ? a[a.size() - 2] : a.back();
  int64_t n = op.getTransposeB() ? b[b.size() - 2] : b.back(),
          kb = op.getTransposeB() ? b.back() : b[b.size() - 2];
  if (ka != kb)
    return emitOptionalError(
        loc, "'raf.matmul' op (C2) expected equal contracted extents, but got ", ka, " and ", kb);
  if (elementType(operands[0]) != elementType(operands[1]))
    return emitOptionalError(loc, "'raf.matmul' op (C4) expected equal element types, but got ",
                             operands[0].getType(), " and ", operands[1].getType());
  llvm::ArrayRef<int64_t> batchA = a.drop_back(2), batchB = b.drop_back(2);
  size_t rank = std::max(batchA.size(), batchB.size());
  llvm::SmallVector<int64_t> shape;
  for (size_t i = 0; i < rank; ++i) {
    int64_t x = i + batchA.size() < rank ? 1 : batchA[i + batchA.size() - rank];
    int64_t y = i + batchB.size() < rank ? 1 : batchB[i + batchB.size() - rank];
    if (x != y && x != 1 && y != 1)
      return emitOptionalError(
          loc, "'raf.matmul' op (C3) expected batch extents that broadcast, but got ",
          operands[0].getType(), " and ", operands[1].getType());
    shape.push_back(x == 1 ? y : x);
  }
  shape.push_back(m);
  shape.push_back(n);
  types.push_back(RankedTensorType::get(shape, elementType(operands[0])));
  return success();
}

int64_t MatmulOp::getM() { return shapeOf(getResult())[rankOf(getResult()) - 2]; }
int64_t MatmulOp::getN() { return shapeOf(getResult()).back(); }
int64_t MatmulOp::getK() {
  return getTransposeA() ? shapeOf(getA())[rankOf(getA()) - 2] : shapeOf(getA()).back();
}

double MatmulOp::getFlops() {
  return 2.0 * countElements({getResult().getType()}) * static_cast<double>(getK());
}

ShardingRule MatmulOp::getShardingRule() {
  ShardingRule r;
  int rank = static_cast<int>(rankOf(getResult()));
  int k = rank;
  r.numFactors = rank + 1;
  r.sumFactors = {k};
  auto operand = [&](Value v, int outer, int inner) {
    llvm::SmallVector<int> f;
    int batch = static_cast<int>(rankOf(v)) - 2;
    for (int i = 0; i < batch; ++i) {
      int factor = rank - 2 - batch + i;
      f.push_back(shapeOf(v)[i] == shapeOf(getResult())[factor] ? factor : -1);
    }
    f.push_back(outer);
    f.push_back(inner);
    return f;
  };
  r.operands = {operand(getA(), getTransposeA() ? k : rank - 2, getTransposeA() ? rank - 2 : k),
                operand(getB(), getTransposeB() ? rank - 1 : k, getTransposeB() ? k : rank - 1)};
  llvm::SmallVector<int> result;
  for (int i = 0; i < rank; ++i)
    result.push_back(i);
  r.results = {result};
  return r;
}

} // namespace raf
