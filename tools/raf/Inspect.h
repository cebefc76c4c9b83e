// raf inspect: says what a file or model holds.
#pragma once

#include "tools/raf/Command.h"

namespace raf::tool {

Action addInspect(CLI::App &app);

} // namespace raf::tool
