// From MLIR's diagnostics to the errors of common/Error.h.
#pragma once

#include "mlir/IR/Diagnostics.h"

#include <mutex>
#include <string>
#include <vector>

namespace raf {

/// Collects the errors that are emitted while it lives.
class ErrorCollector {
public:
  explicit ErrorCollector(mlir::MLIRContext &context);

  bool empty() const { return errors.empty(); }
  /// All errors on one line, each with its place: "model.mlir:3:5: ...; model.mlir:9:1: ...".
  std::string line() const;

private:
  std::mutex mutex; // diagnostics come from the threads that compile kernels, too
  std::vector<std::string> errors;
  mlir::ScopedDiagnosticHandler handler;
};

/// "file:line:column", the innermost that a location knows; empty for an unknown one.
std::string placeOf(mlir::Location location);

} // namespace raf
