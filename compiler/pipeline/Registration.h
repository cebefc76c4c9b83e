// Every dialect, interface model and pass of the compiler, for tools and tests.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace raf {

/// Dialects of ours with all external models that the stages attach to their ops.
void registerDialects(mlir::DialectRegistry &registry);
/// All passes under their flags.
void registerPasses();

} // namespace raf
