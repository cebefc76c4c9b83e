"""Simplification keeps every bit."""

import numpy as np
import pytest

from ops.gradients import first_order, float_inputs, float_results, weights
from ops.harness import programs
from raf import tools

SIMPLIFY = "func.func(raf-simplify)"


def bits(arrays):
    # A NaN is a NaN: rewrites may change its sign.
    return [np.where(a != a, np.float64(np.nan), a) if a.dtype.kind == "f" else a for a in arrays]


def assert_same(module, inputs, function):
    got = tools.evaluate(tools.transform(module, SIMPLIFY), inputs, function)
    for g, w in zip(bits(got), bits(tools.evaluate(module, inputs, function)), strict=True):
        assert g.dtype == w.dtype and g.tobytes() == w.tobytes()


CASES = programs(("f32",))


@pytest.mark.parametrize("program", [p for _, p in CASES], ids=[name for name, _ in CASES])
def test_decomposed_op(program):
    """The formula of an op, signed zeros, infinities and NaN included."""
    assert_same(tools.transform(program.module(), "raf-decompose"), program.inputs, "forward")


WITH_GRADIENTS = [(name, p) for name, p in programs(("f32", "bf16")) if float_inputs(p) and float_results(p)]


@pytest.mark.parametrize("program", [p for _, p in WITH_GRADIENTS], ids=[name for name, _ in WITH_GRADIENTS])
def test_derivative(program):
    """What differentiation leaves: seeds of 1, views around views, casts to float32 and back."""
    assert_same(first_order(program), [*program.inputs, *weights(program, 50)], "value_and_grad")
