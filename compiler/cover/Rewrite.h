#pragma once

#include "compiler/cover/Grouping.h"

namespace raf::cover {

/// What the report says of one piece.
struct Piece {
  mlir::Operation *kernel;
  double seconds;
  std::string runnerUp;
  double runnerUpSeconds;
};

/// Replaces the function's ops by the kernels of the groups; gives them in order.
llvm::SmallVector<Piece> rewrite(mlir::func::FuncOp function, const Graph &graph,
                                 const Groups &groups);

} // namespace raf::cover
