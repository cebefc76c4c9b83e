// The phases of a compilation, in order. Each is a name that `--print-ir-after` and `--stop-after`
// know, a few passes with their reasons (Pipeline.cpp), and a check of what must hold after it.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <array>

namespace raf {

enum class Phase {
  Import,
  Evaluation,
  Differentiate,
  Optimizer,
  Simplify,
  Cover,
  Schedule,
  Plan,
  Emit
};

inline constexpr std::array kPhases = {Phase::Import,    Phase::Evaluation, Phase::Differentiate,
                                       Phase::Optimizer, Phase::Simplify,   Phase::Cover,
                                       Phase::Schedule,  Phase::Plan,       Phase::Emit};

llvm::StringRef nameOf(Phase phase);
/// Throws UsageError that lists the phases.
Phase phaseNamed(llvm::StringRef name);

} // namespace raf
