// Which dialect computes an op: proposals, costs and what the user allows.
#pragma once

#include "compiler/cover/Graph.h"

#include "llvm/ADT/StringMap.h"

#include <vector>

namespace raf::cover {

/// `--dialects` taken apart.
class Dialects {
public:
  /// Fails with `error` set for an unknown name.
  bool parse(llvm::StringRef list, std::string &error);
  bool allows(llvm::StringRef dialect, mlir::Operation *op) const;
  /// Place in the order of preference.
  size_t rankOf(llvm::StringRef dialect) const;

private:
  std::vector<std::string> allowed;
  llvm::StringMap<std::string> byOp;
};

/// Who computes each op that a library has a kernel for, in program order.
std::vector<Claim> chooseLibraries(mlir::func::FuncOp function, const CostModel &costs,
                                   const Dialects &dialects);

/// Whether a library dialect that is allowed has a kernel for the op as it is.
bool hasLibraryKernel(mlir::Operation *op, const CostModel &costs, const Dialects &dialects);

} // namespace raf::cover
