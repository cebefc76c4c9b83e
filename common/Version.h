#pragma once

namespace raf {

/// "MAJOR.MINOR.PATCH" of this build.
const char *version();

} // namespace raf
