// The optimizers: their hyper-parameters with torch.optim's names and defaults, their state, and
// the op that updates a parameter.
#pragma once

#include "compiler/api/Compiler.h"
#include "compiler/ir/Raf.h"

#include <map>

namespace raf {

using Hyper = std::map<std::string, double>;

/// How one parameter is updated.
struct Update {
  std::string op;                 // "raf.adam"
  std::vector<std::string> slots; // optimizer state, in operand order
  std::vector<std::string> slotInit;
  mlir::NamedAttrList attributes;
  double lrScale = 1; // the parameter's learning rate is lr times this
};

/// The update of a parameter under `spec`. Empty after an error through `emitError` that names the
/// unknown optimizer or hyper-parameter, or the value out of its range.
std::optional<Update> updateFor(const OptimizerSpec &spec, llvm::StringRef parameter, bool decays,
                                mlir::Builder &b,
                                llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace raf
