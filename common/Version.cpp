#include "common/Version.h"

namespace raf {

const char *version() { return "0.1.0"; }

} // namespace raf
