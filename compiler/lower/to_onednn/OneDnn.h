#pragma once

#include "compiler/ir/Raf.h"

#include "compiler/lower/to_onednn/OneDnnDialect.h.inc"
#define GET_OP_CLASSES
#include "compiler/lower/to_onednn/OneDnnOps.h.inc"
