"""Every op gives what PyTorch gives in float64."""

import numpy as np
import pytest

from ops.harness import assert_close, programs, round_to
from raf import tools


def parametrize(dtypes=None):
    cases = programs(dtypes)
    return pytest.mark.parametrize("program", [p for _, p in cases], ids=[name for name, _ in cases])


@parametrize()
def test_reference_agrees_with_pytorch(program):
    """The reference, rounding each op to its type, agrees with PyTorch in float64 within the record's tolerance."""
    got = tools.evaluate(program.module(), program.inputs)
    want = program.expected()
    for i, (g, w, dtype) in enumerate(zip(got, want, program.result_dtypes, strict=True)):
        tolerance = 0
        if w.dtype.kind == "f":
            tolerance = program.tolerance(w, dtype)
            rounded = round_to(w, dtype)
            # What the type cannot hold is infinite in it.
            w = np.where(np.isfinite(rounded), w, rounded)
        assert_close(g, w, tolerance, f"result {i}")
