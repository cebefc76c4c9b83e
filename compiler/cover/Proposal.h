// What a library dialect offers: one kernel for a few ops.
#pragma once

#include "compiler/cover/CostModel.h"
#include "compiler/ir/Raf.h"

#include <functional>
#include <optional>
#include <string>

namespace raf::cover {

struct Proposal {
  std::string dialect; // "onednn"
  std::string kernel;  // name in costs and reports: "onednn.matmul"
  /// The ops that the kernel replaces, in program order. Only the last one's results have users
  /// among other ops.
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> operands;
  double seconds = 0;
  /// Whether the kernel takes operand `operand` as a view with these strides.
  std::function<bool(unsigned operand, llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<int64_t> strides)>
      acceptsStrides;
  /// Makes the kernel op from the operands as they are after the cover; gives the values that
  /// replace the last op's results.
  std::function<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Location,
                                               mlir::ValueRange operands)>
      build;
};

/// What an op may ask about its surroundings while a proposal is made.
struct ProposalContext {
  const CostModel &costs;
  /// Whether the value lies in memory whatever is decided here: a library kernel made it, or an op
  /// that takes no element-wise work after it.
  std::function<bool(mlir::Value)> isMaterialized;
  /// Whether the op already belongs to another proposal.
  std::function<bool(mlir::Operation *)> isClaimed;
};

} // namespace raf::cover
