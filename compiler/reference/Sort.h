// Sorting, shared by raf.sort, raf.topk and the kernels of the rt dialect.
#pragma once

#include "compiler/reference/Models.h"

namespace raf::reference {

/// Sorts every line of x along `dim`, stable, NaN greatest; the first elements of each go to
/// results (values, indices), as many as these have along `dim`.
void sortLines(const HostTensor &x, int64_t dim, bool descending, Results results);

} // namespace raf::reference
