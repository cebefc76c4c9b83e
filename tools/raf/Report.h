// raf report: one page about a training step: memory, time per kernel, and why each kernel was
// chosen.
#pragma once

#include "tools/raf/Command.h"

namespace raf::tool {

Action addReport(CLI::App &app);

} // namespace raf::tool
