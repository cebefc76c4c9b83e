#include "compiler/lower/to_loops/LoopModels.h"

#include "compiler/ir/Raf.h"

namespace raf::gen {

void registerLoopModels(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *context, RafDialect *) {
    attachElementwiseBodies(context);
    attachLoopRoles(context);
  });
}

} // namespace raf::gen
