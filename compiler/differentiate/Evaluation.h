// The forward model as it is used to evaluate: without dropout, updating nothing.
#pragma once

#include "mlir/Pass/Pass.h"

namespace raf {

/// Makes @evaluate from @forward: dropout passes its operand on, attention drops nothing, updates
/// of buffers are not returned, and the key goes when no random op is left.
std::unique_ptr<mlir::Pass> createEvaluationModePass();

} // namespace raf
