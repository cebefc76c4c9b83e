// The generated kernels of a module: described in order, compiled once for each key, on several
// threads.
#pragma once

#include "compiler/emit/Emit.h"

namespace raf::emit {

class KernelTable {
public:
  explicit KernelTable(const Options &options) : options(options) {}

  /// What one launch needs; takes a place in the table for its machine code.
  struct Launch {
    uint32_t kernel;
    gen::KernelCode code;
  };
  mlir::FailureOr<Launch> add(gen::KernelOp kernel, const gen::InputStrides &strides);

  /// Compiles whatever is not in the cache.
  mlir::LogicalResult compile(Statistics &statistics);

  struct Entry {
    std::string key;
    gen::KernelOp example; // the first kernel of this key
    gen::InputStrides strides;
    gen::MachineCode code;
  };
  llvm::ArrayRef<Entry> entries() const { return table; }

private:
  const Options &options;
  std::vector<Entry> table;
  llvm::StringMap<uint32_t> index;
};

} // namespace raf::emit
