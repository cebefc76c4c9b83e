// raf compile: writes an executable file.
#pragma once

#include "tools/raf/Command.h"

namespace raf::tool {

Action addCompile(CLI::App &app);

} // namespace raf::tool
