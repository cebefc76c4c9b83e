#include "compiler/differentiate/Differentiate.h"
#include "compiler/differentiate/Evaluation.h"
#include "compiler/differentiate/Optimizer.h"

#include "mlir/Pass/PassRegistry.h"

namespace raf {

void registerDifferentiatePasses() {
  mlir::registerPass([] { return createDifferentiatePass(); });
  mlir::registerPass([] { return createOptimizerPass(); });
  mlir::registerPass([] { return createEvaluationModePass(); });
}

} // namespace raf
