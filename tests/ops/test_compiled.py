"""Compiled code gives what PyTorch gives, whichever operator dialect computes it."""

import numpy as np
import pytest

from ops.harness import assert_close, programs, round_to
from raf import session, tools

# Everything in float32; in the other types what can differ from it: conversions, special values, the vector width.
CASES = [(name, p) for name, p in programs() if p.dtype == "f32" or name.split("-")[1] == "0" or "special" in p.sample.name]
MATMULS = [(name, p) for name, p in programs(("f32", "f64", "bf16")) if p.record.op == "matmul"]


def to_session(array, dtype):
    return tools.to_bf16(array) if dtype == "bf16" else array


def from_session(array, dtype):
    return tools.from_bf16(array) if dtype == "bf16" else array


def run(program, path, **options):
    """Results of the op compiled as the function @forward."""
    path.write_text(program.module())
    compiled = session.compile(str(path), functions=["forward"], threads=1, **options)
    results = compiled.run("forward", **{
        f"x{i}": to_session(array, dtype) for i, (array, dtype) in enumerate(zip(program.inputs, program.input_dtypes, strict=True))})
    return [from_session(results[f"y{i}"], dtype) for i, dtype in enumerate(program.result_dtypes)]


def check(program, got):
    for i, (g, w, dtype) in enumerate(zip(got, program.expected(), program.result_dtypes, strict=True)):
        tolerance = 0
        if w.dtype.kind == "f":
            # Polynomials of exp, log and so on are good to two units, and the ops of a formula round one by one.
            tolerance = program.tolerance(w, dtype, factor=4)
            rounded = round_to(w, dtype)
            w = np.where(np.isfinite(rounded), w, rounded)
        assert_close(g, w, tolerance, f"result {i}")


@pytest.mark.parametrize("program", [p for _, p in CASES], ids=[name for name, _ in CASES])
def test_compiled_op_agrees(program, tmp_path):
    """The op alone, compiled for this machine, agrees with PyTorch in float64 within a few units of its type."""
    check(program, run(program, tmp_path / "op.mlir"))


@pytest.mark.parametrize("dialect", ["gen", "onednn,gen"])
@pytest.mark.parametrize("program", [p for _, p in MATMULS], ids=[name for name, _ in MATMULS])
def test_dialects_agree(program, dialect, tmp_path):
    """Generated code and the library compute the same matrix products."""
    check(program, run(program, tmp_path / "op.mlir", dialects=dialect))
