"""The derivative of every op against the slope of the op itself: an oracle that knows no derivative."""

import numpy as np
import pytest

from ops.gradients import first_order, float_inputs, float_results, weights
from ops.harness import normal, programs
from raf import tools

# What stops a gradient that is there.
STOPPED = {"embedding-padding"}
CASES = [(name, p) for name, p in programs(("f64",)) if p.sample.smooth and float_inputs(p) and float_results(p)
         and f"{p.record.op}-{p.sample.name}" not in STOPPED]


@pytest.mark.parametrize("program", [p for _, p in CASES], ids=[name for name, _ in CASES])
def test_slope(program):
    """In a direction of all inputs at once, the loss changes as the gradients say."""
    w = weights(program, 50)
    module = first_order(program)
    loss, *gradients = tools.evaluate(module, [*program.inputs, *w], "value_and_grad")
    if not np.isfinite(loss):
        pytest.skip("a row of attention that sees no key has logsumexp -inf")
    # Central differences: off by the step's square times the third derivative, and by 1e-16 / step of the loss.
    step = 1e-5
    directions = {i: normal(*np.shape(program.inputs[i]), seed=77 + i) for i in float_inputs(program)}

    def moved(distance):
        inputs = [a + distance * directions[i] if i in directions else a for i, a in enumerate(program.inputs)]
        return float(tools.evaluate(module, [*inputs, *w], "forward")[0])

    slope = (moved(step) - moved(-step)) / (2 * step)
    along = [np.sum(g * d) for g, d in zip(gradients, directions.values(), strict=True)]
    size = sum(np.sum(np.abs(g * d)) for g, d in zip(gradients, directions.values()))
    assert abs(slope - sum(along)) <= 1e-6 * (size + abs(float(loss)) + 1), f"slope {slope}, but gradient {sum(along)}"
