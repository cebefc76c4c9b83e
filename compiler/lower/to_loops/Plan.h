// What a kernel is before it is code: its structure, its parameters and who writes its loops.
#pragma once

#include "compiler/lower/to_loops/KernelFunction.h"
#include "compiler/lower/to_loops/Nest.h"

#include <functional>

namespace raf::gen {

struct KernelPlan {
  std::string structure; // canonical text of all that machine code depends on
  llvm::SmallVector<int64_t> params;
  int64_t work = 1, grain = 1;
  uint64_t scratchBytes = 0;
  std::function<void(KernelFunction &)> emit;
  std::optional<Nest> nest; // of a group without anchor

  /// Appends a parameter and gives its number.
  int param(int64_t value) {
    params.push_back(value);
    return static_cast<int>(params.size()) - 1;
  }
};

struct PlanContext {
  const GroupOps &group;
  const InputStrides &strides;
  int lanes; // 32-bit elements of a vector
  std::string &why;

  unsigned input(mlir::Value v) const; // which operand of the kernel; it must be one
  llvm::ArrayRef<int64_t> stridesOf(mlir::Value v) const { return strides[input(v)]; }
};

/// Nothing, with the reason, when the group has no loop nest.
std::optional<KernelPlan> planKernel(const GroupOps &group, const InputStrides &strides, int lanes,
                                     std::string *why);

/// An anchor plans a group that is one op of its kind (for attention: with views around it): a
/// template of loops of its own.
using Anchor = std::optional<KernelPlan> (*)(mlir::Operation *op, const PlanContext &context);
/// The anchor of this op, null when its loops are a nest's.
Anchor anchorOf(mlir::Operation *op);

std::optional<KernelPlan> planMatmul(mlir::Operation *op, const PlanContext &context);
std::optional<KernelPlan> planScatter(mlir::Operation *op, const PlanContext &context);
std::optional<KernelPlan> planScan(mlir::Operation *op, const PlanContext &context);
/// Whether `op` is attention or its gradient, of types that the loop nest computes (float32).
bool hasAttentionNest(mlir::Operation *op);
std::optional<KernelPlan> planAttention(mlir::Operation *op, const PlanContext &context);

} // namespace raf::gen
