// raf run: trains or evaluates with an executable file, without the compiler.
#pragma once

#include "tools/raf/Command.h"

namespace raf::tool {

Action addRun(CLI::App &app);

} // namespace raf::tool
