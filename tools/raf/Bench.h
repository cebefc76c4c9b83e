// raf bench: times training steps.
#pragma once

#include "tools/raf/Command.h"

namespace raf::tool {

Action addBench(CLI::App &app);

} // namespace raf::tool
