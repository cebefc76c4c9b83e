// Philox4x32-10 on vectors, bit for bit common/Philox.h.
#pragma once

#include "compiler/lower/to_loops/Body.h"

#include <array>

namespace raf::gen {

/// The four words of a block, each in the low half of a 64-bit lane; upper halves are anything.
using PhiloxWords = std::array<llvm::Value *, 4>;

/// `block` holds one 64-bit block number per lane; op, step and seed are 64-bit scalars.
PhiloxWords philox(BodyBuilder &b, llvm::Value *block, llvm::Value *op, llvm::Value *step,
                   llvm::Value *seed);

} // namespace raf::gen
