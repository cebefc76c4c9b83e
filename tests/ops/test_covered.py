"""What the cover makes of each op - fused groups, library kernels, views - still means what PyTorch means."""

import numpy as np
import pytest

from ops.harness import assert_close, programs, round_to
from raf import tools

CASES = programs(("f32",))


@pytest.mark.parametrize("program", [p for _, p in CASES], ids=[name for name, _ in CASES])
def test_covered_op_means_the_same(program):
    """Kernels chosen for an op compute the op: the reference evaluates the covered program, library kernels included."""
    module = tools.transform(program.module(), "func.func(raf-cover)")
    got = tools.evaluate(module, program.inputs)
    want = program.expected()
    for i, (g, w, dtype) in enumerate(zip(got, want, program.result_dtypes, strict=True)):
        tolerance = 0
        if w.dtype.kind == "f":
            # The formula's ops are rounded one by one here, where the record's tolerance may be that of one rounding.
            tolerance = program.tolerance(w, dtype, factor=4)
            rounded = round_to(w, dtype)
            w = np.where(np.isfinite(rounded), w, rounded)
        assert_close(g, w, tolerance, f"result {i}")
