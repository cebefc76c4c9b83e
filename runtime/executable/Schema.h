// The generated schema, with FlatBuffers' limit raised to the alignment that Executable.fbs asks
// for (force_align: 64). Include this header instead of the generated one, before any of
// FlatBuffers.
#pragma once

#ifndef FLATBUFFERS_MAX_ALIGNMENT
#define FLATBUFFERS_MAX_ALIGNMENT 64
#endif
#include "runtime/executable/Executable_generated.h"

static_assert(FLATBUFFERS_MAX_ALIGNMENT >= 64, "a header of FlatBuffers was included before");
