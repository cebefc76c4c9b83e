// A loss for a model that comes without one, or with another one.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace raf {

/// Makes the loss `name` (as torch.nn.functional calls it, with its defaults) the first result of
/// @forward: of its first output that is no scalar, against the input "labels", which is added
/// where the model has none. cross_entropy has the classes in the last dimension. A loss of the
/// model's own goes. Throws UsageError for an unknown name, ShapeError where output and labels do
/// not fit.
void appendLoss(mlir::ModuleOp module, const std::string &name);

} // namespace raf
