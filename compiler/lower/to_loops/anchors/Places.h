// Where an anchor's operands and results lie when views stand around it in the group.
#pragma once

#include "compiler/lower/to_loops/Plan.h"

namespace raf::gen {

/// A tensor in memory: element (i...) of the kernel's operand number `operand` (inputs first, then
/// outputs) is sum(i * strides) elements from its address.
struct Place {
  int operand = -1;
  llvm::SmallVector<int64_t> strides;
};

/// Reads the places off a group of one anchor with reshapes, transposes and broadcasts before it,
/// reshapes and transposes behind it. Functions that fail leave the reason in the context's `why`.
class Places {
public:
  Places(const PlanContext &context, mlir::Operation *anchor);

  /// Whether the group is of this kind.
  bool check() const;
  /// Where an operand lies; nothing when no strides express its views or when it starts inside of a
  /// kernel input.
  std::optional<Place> operand(mlir::Value value) const;
  /// Where a result goes; operand -1 when nothing of it leaves the kernel.
  std::optional<Place> result(mlir::Value value) const;

private:
  std::nullopt_t refuse(const llvm::Twine &reason) const;

  const PlanContext &context;
  mlir::Operation *anchor;
};

} // namespace raf::gen
