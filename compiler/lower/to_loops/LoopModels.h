#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace raf::gen {

/// Attaches ScalarBodyOpInterface and LoopNestOpInterface to the raf ops.
void registerLoopModels(mlir::DialectRegistry &registry);

// By op family, called by the one above.
void attachElementwiseBodies(mlir::MLIRContext *context);
void attachLoopRoles(mlir::MLIRContext *context);

} // namespace raf::gen
