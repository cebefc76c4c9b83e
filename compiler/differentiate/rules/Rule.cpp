#include "compiler/differentiate/rules/Rule.h"

#include "compiler/differentiate/Differentiate.h"

using namespace mlir;

namespace raf {

void Vjp::give(unsigned i, Value gradient) {
  gradient = cast(gradient, elementType(op->getOperand(i)));
  gradients[i] = gradients[i] ? add(gradients[i], gradient) : gradient;
}

Value Vjp::wide(Value x) const {
  Type t = elementType(x);
  return t.isF16() || t.isBF16() ? cast(x, b.getF32Type()) : x;
}

Value Vjp::sum(Value x, llvm::ArrayRef<int64_t> dims) const {
  return dims.empty() ? x : make<ReduceSumOp>(x, dims);
}

Value Vjp::reshape(Value x, llvm::ArrayRef<int64_t> shape) const {
  auto type = RankedTensorType::get(shape, elementType(x));
  return type == x.getType() ? x : make<ReshapeOp>(type, x);
}

llvm::SmallVector<int64_t> allDims(int64_t rank, int64_t first) {
  llvm::SmallVector<int64_t> dims;
  for (int64_t i = first; i < rank; ++i)
    dims.push_back(i);
  return dims;
}

void registerDerivatives(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, RafDialect *) {
    attachElementwiseRules(context);
    attachShapeRules(context);
    attachIndexingRules(context);
    attachReduceRules(context);
    attachContractionRules(context);
    attachNormalizationRules(context);
    attachAttentionRules(context);
    attachRandomRules(context);
    attachLossRules(context);
    attachOptimizerRules(context);
  });
}

} // namespace raf
