#pragma once

#include "compiler/cover/Proposal.h"

namespace raf::rt {

/// sort and topk.
std::optional<cover::Proposal> propose(mlir::Operation *op, const cover::ProposalContext &context);

} // namespace raf::rt
