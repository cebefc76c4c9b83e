// What an executable file holds, read without preparing it to run.
#pragma once

#include <string>

namespace raf::tool {

int inspectExecutable(const std::string &path, bool json);

} // namespace raf::tool
