"""The derivative of every op, and the derivative of its derivative, against PyTorch's in float64."""

import numpy as np
import pytest

from ops.gradients import first_order, float_inputs, float_results, second_order, torch_gradients, weights
from ops.harness import EPS, SMALLEST, assert_close, input_dtype, normal, programs, round_to
from raf import tools


# Where RAF's convention is its own.
OWN_CONVENTION = {
    "abs": "NaN stays NaN; PyTorch's sign of NaN is 0",
    "sign": "the record's function passes NaN on, and its gradient",
    "remainder": "an infinite quotient has no remainder: its floor is infinite, where PyTorch's is NaN",
    "bce_loss": "PyTorch's 1e-12 under the fraction is a float32",
    "kl_div_loss": "log 0 is -inf; PyTorch has 0 / 0",
}
# Where PyTorch has no second derivative.
UNKNOWN_TO_PYTORCH = {
    "embedding-3": "fails on a tensor without elements",
    "attention-13": "gives 0 for a row that sees no key, where logsumexp is -inf in ours",
}
# PyTorch keeps denominators from 0 by adding 1e-12 to them.
SECOND_PRECISION = {"bce_loss": 1e-9}


def cases(dtypes, smooth):
    return [(name, p) for name, p in programs(dtypes)
            if p.sample.smooth == smooth and float_inputs(p) and float_results(p)]


def without(names, list_):
    return [(name, p) for name, p in list_ if p.record.op not in names and "-".join(name.split("-")[:2]) not in names]


def parameters(list_):
    return pytest.mark.parametrize("program", [p for _, p in list_], ids=[name for name, _ in list_])


def compare(got, want, cotangents, eps, smallest, what):
    """Errors of `eps` of the element, of the gradient's scale (sums cancel) and of what came in (so do differences of it)."""
    def rms(arrays):
        finite = np.concatenate([a[np.isfinite(a)].ravel() for a in arrays])
        return np.sqrt(np.mean(finite**2)) if finite.size else 0.0

    magnitude = np.where(np.isfinite(want), np.abs(want), 0.0) + rms([want]) + rms(cotangents)
    assert_close(got.astype(np.float64), want, eps * magnitude + smallest, what)


@parameters(cases(("f64",), True))
def test_gradient(program):
    """A rule gives PyTorch's gradient."""
    w = weights(program, 50)
    got = tools.evaluate(first_order(program), [*program.inputs, *w], "value_and_grad")[1:]
    want = torch_gradients(program, w)
    for i, g, t in zip(float_inputs(program), got, want, strict=True):
        compare(g, t, w, 1e-13, 0, f"gradient of operand {i}")


@parameters(without(UNKNOWN_TO_PYTORCH, cases(("f64",), True)))
def test_second_gradient(program):
    """A rule is made of ops with rules: the pass differentiates its own result, by inputs and by the cotangent."""
    w = weights(program, 50)
    u = [normal(*np.shape(program.inputs[i]), seed=90 + i) for i in float_inputs(program)]
    got = tools.evaluate(second_order(program), [*program.inputs, *w, *u], "value_and_grad")[1:]
    want = torch_gradients(program, w, u)
    for i, (g, t) in enumerate(zip(got, want, strict=True)):
        compare(g, t, w + u, SECOND_PRECISION.get(program.record.op, 1e-12), 0, f"second gradient {i}")


@parameters(without(OWN_CONVENTION, cases(("f64",), False)))
def test_gradient_where_there_is_none(program):
    """At ties, kinks, NaN and infinities the gradient is PyTorch's convention."""
    w = weights(program, 50)
    got = tools.evaluate(first_order(program), [*program.inputs, *w], "value_and_grad")[1:]
    for i, g, t in zip(float_inputs(program), got, torch_gradients(program, w), strict=True):
        compare(g, t, w, 1e-13, 0, f"gradient of operand {i}")


@parameters(cases(("f32", "bf16", "f16"), True))
def test_gradient_in_its_own_type(program):
    """A gradient has its operand's type, and a formula of several steps is rounded to it once."""
    w = weights(program, 50)
    got = tools.evaluate(first_order(program), [*program.inputs, *w], "value_and_grad")[1:]
    for i, g, t in zip(float_inputs(program), got, torch_gradients(program, w), strict=True):
        dtype = input_dtype([v for v in program.sample.inputs if v is not None][i], program.dtype)
        t = np.where(np.isfinite(round_to(t, dtype)), t, round_to(t, dtype))
        # Saved results (exponentials, norms, probabilities) come rounded to the type, a few of them multiplied.
        compare(g, t, w, (program.record.units + 16) * EPS[dtype], SMALLEST[dtype], f"gradient of operand {i}")
