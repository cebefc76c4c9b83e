#pragma once

#include "compiler/ir/Raf.h"

#include "compiler/lower/to_loops/GenDialect.h.inc"
#define GET_OP_CLASSES
#include "compiler/lower/to_loops/GenOps.h.inc"
