// Views: values that are other values' memory seen with an offset and strides. raf.reshape,
// raf.transpose, raf.slice and raf.broadcast outside of a gen.kernel are views after the cover;
// cover, plan and emit all ask here.
#pragma once

#include "compiler/ir/Raf.h"

#include <optional>

namespace raf {

/// Where the elements of a value lie: element (i...) is element offset + sum(i * strides) of the
/// contiguous value `base`. Offset and strides are in elements; a stride is 0 where a broadcast
/// repeats.
struct ViewLayout {
  mlir::Value base;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;

  /// Whether a tensor of this shape lies row-major without gaps (extents of 1 may have any stride).
  bool isContiguous(llvm::ArrayRef<int64_t> shape) const;
};

/// Row-major strides.
llvm::SmallVector<int64_t> contiguousStrides(llvm::ArrayRef<int64_t> shape);

/// Strides of a reshape's result without moving an element, or nothing when the operand's strides
/// do not allow it: (4, 6) with strides (6, 1) as (24) has (1); with strides (12, 1) it has none.
std::optional<llvm::SmallVector<int64_t>> reshapedStrides(llvm::ArrayRef<int64_t> from,
                                                          llvm::ArrayRef<int64_t> strides,
                                                          llvm::ArrayRef<int64_t> to);

/// raf.reshape, raf.transpose, raf.slice or raf.broadcast.
bool isViewKind(mlir::Operation *op);

/// Where the elements of the result of one view op lie, given its operand's layout; nothing for a
/// reshape that would have to move elements.
std::optional<ViewLayout> applyView(mlir::Operation *op, const ViewLayout &operand);

/// Follows view ops from `value` to the value that holds the elements. Stops, with the op's own
/// contiguous result as base, at the first op that is no view: another op, an argument, or a
/// reshape that would have to move elements. An op for which `copies` holds is no view either: its
/// result will be written to memory of its own.
ViewLayout viewLayout(mlir::Value value,
                      llvm::function_ref<bool(mlir::Operation *)> copies = nullptr);

/// Whether `op` is of a view kind and its result needs no memory of its own.
bool isView(mlir::Operation *op);

} // namespace raf
