#include "compiler/pipeline/Registration.h"

#include "compiler/cover/Cover.h"
#include "compiler/decompose/Decompose.h"
#include "compiler/differentiate/Differentiate.h"
#include "compiler/lower/to_loops/Gen.h"
#include "compiler/lower/to_loops/LoopModels.h"
#include "compiler/lower/to_loops/Passes.h"
#include "compiler/lower/to_onednn/OneDnn.h"
#include "compiler/lower/to_rt/Rt.h"
#include "compiler/optimize/simplify/Simplify.h"
#include "compiler/reference/Interpreter.h"
#include "compiler/schedule/Passes.h"

#include "mlir/Transforms/Passes.h"

namespace raf {

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<RafDialect, gen::GenDialect, onednn::OneDnnDialect, rt::RtDialect,
                  mlir::func::FuncDialect>();
  registerDecompositions(registry);
  registerReference(registry);
  gen::registerLoopModels(registry);
  registerDerivatives(registry);
}

void registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  registerDecomposePass();
  gen::registerSplitReductionsPass();
  gen::registerEmitLlvmPass();
  cover::registerCoverPasses();
  schedule::registerSchedulePasses();
  registerDifferentiatePasses();
  registerSimplifyPass();
}

} // namespace raf
