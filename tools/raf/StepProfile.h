// Time per kernel of a step, measured over several.
#pragma once

#include "tools/raf/Program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace raf::tool {

using Profiles = std::vector<runtime::CommandProfile>;

struct StepProfile {
  CompileResult compiled;
  runtime::MemoryStats memory;
  Profiles commands;  // in the order they run
  double seconds = 0; // of all commands of one step
};

/// Compiles `function` of `model` and profiles `steps` calls of it on a synthetic batch.
StepProfile profileStep(const std::string &model, int64_t batch, const std::string &function,
                        int64_t steps, uint64_t seed, const CompileOptions &options,
                        const runtime::SessionOptions &session);

/// Commands of one label and dialect together, slowest first; `calls` counts them.
Profiles byLabel(const Profiles &commands);

} // namespace raf::tool
