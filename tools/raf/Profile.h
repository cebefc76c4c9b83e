// raf profile: time per kernel, as table and trace.
#pragma once

#include "tools/raf/Command.h"

namespace raf::tool {

Action addProfile(CLI::App &app);

} // namespace raf::tool
