// raf generate: continues a text.
#pragma once

#include "tools/raf/Command.h"

namespace raf::tool {

Action addGenerate(CLI::App &app);

} // namespace raf::tool
