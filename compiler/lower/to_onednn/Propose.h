#pragma once

#include "compiler/cover/Proposal.h"

namespace raf::onednn {

/// A matmul kernel for `op` and the additions after it that the kernel can do on its way: a bias,
/// an accumulator. Nothing when oneDNN has no kernel for it.
std::optional<cover::Proposal> propose(mlir::Operation *op, const cover::ProposalContext &context);

} // namespace raf::onednn
