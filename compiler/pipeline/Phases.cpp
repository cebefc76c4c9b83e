#include "compiler/pipeline/Phases.h"

#include "common/Error.h"

#include "llvm/Support/ErrorHandling.h"

#include <fmt/format.h>

namespace raf {

llvm::StringRef nameOf(Phase phase) {
  switch (phase) {
  case Phase::Import:
    return "import";
  case Phase::Evaluation:
    return "evaluation";
  case Phase::Differentiate:
    return "differentiate";
  case Phase::Optimizer:
    return "optimizer";
  case Phase::Simplify:
    return "simplify";
  case Phase::Cover:
    return "cover";
  case Phase::Schedule:
    return "schedule";
  case Phase::Plan:
    return "plan";
  case Phase::Emit:
    return "emit";
  }
  llvm_unreachable("unknown phase");
}

Phase phaseNamed(llvm::StringRef name) {
  std::string known;
  for (Phase phase : kPhases) {
    if (nameOf(phase) == name)
      return phase;
    known += (known.empty() ? "" : ", ") + nameOf(phase).str();
  }
  throw UsageError(fmt::format("expected a phase ({}), but got \"{}\"", known, name.str()));
}

} // namespace raf
