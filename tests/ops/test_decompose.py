"""A composite op and the formula that compiled code uses compute the same."""

import numpy as np
import pytest

from ops.harness import assert_close, programs
from raf import tools

COMPOSITE = {name[4:] for name, interfaces in tools.registered_ops().items() if "decomposable" in interfaces}
CASES = [(name, p) for name, p in programs(("f64",)) if p.record.op in COMPOSITE]


@pytest.mark.parametrize("program", [p for _, p in CASES], ids=[name for name, _ in CASES])
def test_decomposition_means_the_same(program):
    """Without rounding in the way the formula gives PyTorch's numbers, also where the reference evaluates the op as a whole."""
    module = tools.transform(program.module(), "raf-decompose")
    assert f"raf.{program.record.op}" not in module
    got = tools.evaluate(module, program.inputs, float64=True)
    for i, (g, w) in enumerate(zip(got, program.expected(), strict=True)):
        # A few dozen operations of 2^-53 each, on values of the result's scale.
        w = w.astype(np.float64)
        scale = np.abs(w[np.isfinite(w)]).max(initial=0)
        assert_close(g.astype(np.float64), w, 1e-13 * np.maximum(scale, np.where(np.isfinite(w), np.abs(w), 0)), f"result {i}")


# attention_grad's `out` is an input here, and its rounding to bf16 is no error of the formula.
ROUNDED = [(name, p) for name, p in programs(("bf16",))
           if p.record.op in COMPOSITE and p.record.op != "attention_grad" and p.sample.smooth]


@pytest.mark.parametrize("program", [p for _, p in ROUNDED], ids=[name for name, _ in ROUNDED])
def test_decomposition_rounds_once(program):
    """In bf16 the formula's intermediates are float32: its error stays one rounding of the result and a little."""
    module = tools.transform(program.module(), "raf-decompose")
    got = tools.evaluate(module, program.inputs)
    for i, (g, w, dtype) in enumerate(zip(got, program.expected(), program.result_dtypes, strict=True)):
        if w.dtype.kind != "f":
            continue
        scale = np.sqrt(np.mean(w**2)) if w.size else 0
        # Half a unit of bf16, and float32 noise of the result's scale (products and sums of dozens of values).
        tolerance = 0.502 * 2.0**-7 * np.abs(w) + 64 * 2.0**-24 * (scale + np.abs(w)) if dtype == "bf16" else 64 * 2.0**-24 * (scale + np.abs(w))
        assert_close(g, w, tolerance, f"result {i}")
