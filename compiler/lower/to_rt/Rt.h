#pragma once

#include "compiler/ir/Raf.h"

#include "compiler/lower/to_rt/RtDialect.h.inc"
#define GET_OP_CLASSES
#include "compiler/lower/to_rt/RtOps.h.inc"
