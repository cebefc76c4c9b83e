// The passes of each phase.
#pragma once

#include "compiler/api/Compiler.h"
#include "compiler/lower/to_loops/Codegen.h"
#include "compiler/pipeline/Phases.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace raf {

/// What phases besides the module work with.
struct Compilation {
  const CompileOptions &options;
  gen::Target target;
  std::string decisions; // the cover's report
};

/// Runs a phase between Import and Emit, and checks what must hold after it. Fails with located
/// diagnostics.
mlir::LogicalResult runPhase(Phase phase, mlir::ModuleOp module, Compilation &compilation);

/// Throws UsageError for options that make no sense together or are not supported.
void checkOptions(const CompileOptions &options);

} // namespace raf
