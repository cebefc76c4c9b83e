#include "compiler/cover/CostModel.h"

#include "compiler/ir/Raf.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace raf::cover {

Machine Machine::with(int threads, int vectorBytes, bool bf16) {
  Machine machine;
  double cores = threads / 2.0, width = vectorBytes / 32.0;
  // Memory is shared: half of what two threads draw is left to each further one.
  machine.bandwidth *= threads <= 2 ? 0.6 + 0.2 * threads : 1 + (cores - 1) / 2;
  machine.cacheBandwidth *= cores;
  machine.matrixRate *= cores * width;
  machine.vectorRate *= cores * width;
  machine.bf16 = bf16;
  return machine;
}

bool CostModel::setFactors(llvm::StringRef list, std::string &error) {
  for (llvm::StringRef entry : llvm::split(list, ',')) {
    if (entry.empty())
      continue;
    auto [kernel, text] = entry.split(':');
    double value = 0;
    if (kernel.empty() || text.getAsDouble(value) || !(value > 0)) {
      error = ("expected kernel:factor with a positive factor, but got '" + entry + "'").str();
      return false;
    }
    factors[kernel] = value;
  }
  return true;
}

double CostModel::factor(llvm::StringRef kernel) const {
  auto found = factors.find(kernel);
  return found == factors.end() ? 1 : found->second;
}

double CostModel::move(Type type) const {
  double bytes = countBytes(type);
  return bytes / (bytes <= machine.cacheBytes / 2.0 ? machine.cacheBandwidth : machine.bandwidth);
}

double opWeight(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case<ReshapeOp, TransposeOp, BroadcastOp, SliceOp, ConstantOp>([](auto) { return 0; })
      .Case<ExpOp, Expm1Op>([](auto) { return 10; })
      .Case<LogOp, Log1pOp, SigmoidOp>([](auto) { return 14; })
      .Case<TanhOp, ErfOp, SinOp, CosOp>([](auto) { return 18; })
      .Case<TanOp, Atan2Op, PowOp>([](auto) { return 40; })
      .Case<DivOp, ReciprocalOp, SqrtOp, RsqrtOp, RemainderOp>([](auto) { return 5; })
      // Ten rounds of Philox give four words; each round is about eight instructions on 64-bit
      // lanes.
      .Case<UniformOp>([](auto) { return 40; })
      .Case<NormalOp>([](auto) { return 80; })
      .Default([](auto) { return 1; });
}

double CostModel::matrixRate(bool library, Type element) const {
  // oneDNN reaches the peak at every float32 shape of a transformer; it converts 16-bit tiles where
  // the machine has no units for them, and has nothing but a plain loop for float64. Generated
  // products pack both operands anew for each tile, and widen 16-bit elements as they pack.
  if (element.isF64())
    return machine.matrixRate * (library ? 0.03 : 0.25);
  if (element.isF32())
    return machine.matrixRate * (library ? 0.95 : 0.5);
  return machine.matrixRate * (library ? (machine.bf16 ? 1.5 : 0.6) : 0.45);
}

double CostModel::compute(Operation *op) const {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matmul.getFlops() / matrixRate(/*library=*/false, elementType(matmul.getResult()));
  // Attention's blocks are small and exponentials stand between its products.
  if (isa<AttentionOp, AttentionGradOp>(op))
    return cast<CostOpInterface>(op).getFlops() / (0.4 * machine.matrixRate);
  // A reduction works on its operand's elements, everything else on its result's.
  double elements = countElements(op->getResultTypes());
  for (Value operand : op->getOperands())
    elements = std::max(elements, countElements(operand.getType()));
  double weight = opWeight(op);
  Type type = op->getNumResults() ? getElementTypeOrSelf(op->getResult(0).getType()) : Type();
  if (type && type.isF64())
    weight *= 2;
  return elements * weight / machine.vectorRate;
}

double CostModel::matrix(llvm::StringRef kernel, Type element, double flops,
                         double moveSeconds) const {
  bool library = !kernel.starts_with("gen.");
  return this->kernel(kernel, flops / matrixRate(library, element), moveSeconds);
}

double CostModel::kernel(llvm::StringRef kernel, double computeSeconds, double moveSeconds) const {
  return factor(kernel) * (machine.launch + std::max(computeSeconds, moveSeconds));
}

} // namespace raf::cover
