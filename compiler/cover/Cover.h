// The cover: which operator dialect's kernel computes each piece of a function, and which ops one
// generated kernel computes together. See docs/design/cover.md.
#pragma once

#include "compiler/cover/CostModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace raf::cover {

/// Attributes that the cover leaves on kernel ops.
namespace names {
inline constexpr llvm::StringLiteral kSeconds = "raf.predicted_seconds"; // f64
inline constexpr llvm::StringLiteral kRunnerUp = "raf.runner_up";        // dialect that came second
} // namespace names

struct Options {
  /// Comma list. A dialect's name allows it (none named: all are allowed); of equal costs the one
  /// named first wins. `op=dialect` ("matmul=gen") decides for one kind of op, whatever it costs.
  std::string dialects;
  /// Comma list of `kernel:factor` ("onednn.matmul:10"): multiplies predicted costs.
  std::string costs;
  Machine machine;
};

/// Rewrites `function` to kernel ops, views and constants. Reports every op that no allowed dialect
/// has a kernel for. `report`, where given, gets a line for each piece.
mlir::LogicalResult coverFunction(mlir::func::FuncOp function, const Options &options,
                                  std::string *report = nullptr);

/// What holds after the cover (docs/design/cover.md, "After the cover"); located errors.
mlir::LogicalResult verifyCovered(mlir::func::FuncOp function);

/// --raf-cover and --raf-verify-covered.
void registerCoverPasses();

} // namespace raf::cover
