#ifndef RAF_IR_OPS_TD
#define RAF_IR_OPS_TD

include "compiler/ir/Elementwise.td"
include "compiler/ir/Shape.td"
include "compiler/ir/Indexing.td"
include "compiler/ir/Reduce.td"
include "compiler/ir/Contraction.td"
include "compiler/ir/Normalization.td"
include "compiler/ir/Attention.td"
include "compiler/ir/Random.td"
include "compiler/ir/Loss.td"
include "compiler/ir/Optimizer.td"

#endif
