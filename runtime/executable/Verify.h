#pragma once

#include "runtime/executable/Schema.h"

#include <cstddef>
#include <string_view>

namespace raf::executable {

/// The meaning of a structurally sound flatbuffer: see `open`. Throws InvalidFileError.
void verify(const fb::Executable &file, size_t payloadBytes, std::string_view where);

} // namespace raf::executable
