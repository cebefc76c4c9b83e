// A subcommand adds its options to its CLI::App and returns what runs when it was chosen; the
// number is the exit code. A failure is an exception: main makes one line and a code of it.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace raf::tool {

using Action = std::function<int()>;

} // namespace raf::tool
