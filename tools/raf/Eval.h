// raf eval: loss on held-out data.
#pragma once

#include "tools/raf/Command.h"

namespace raf::tool {

Action addEval(CLI::App &app);

} // namespace raf::tool
