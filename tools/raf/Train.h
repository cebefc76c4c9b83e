// raf train: updates a model's parameters on data.
#pragma once

#include "tools/raf/Command.h"

namespace raf::tool {

Action addTrain(CLI::App &app);

} // namespace raf::tool
