// The last stage: a planned module becomes the bytes of an executable
// (runtime/executable/Executable.fbs).
#pragma once

#include "compiler/lower/to_loops/Codegen.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace raf::emit {

struct Options {
  gen::Target target;
  std::string cacheDir; // object code cache; empty: no cache on disk
  std::string metadata; // JSON
  int threads = 2;      // that compile kernels
  std::function<void(double fraction)> progress;
};

struct Statistics {
  int64_t kernelsCompiled = 0, kernelsFromCache = 0;
};

/// Writes every function of a module that --raf-verify-plan accepts, with the machine code of its
/// gen.kernels; equal code is compiled once. Fails with located diagnostics.
mlir::FailureOr<std::vector<std::byte>>
emitExecutable(mlir::ModuleOp module, const Options &options, Statistics &statistics);

} // namespace raf::emit
