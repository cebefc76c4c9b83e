"""The compiler's own gradients, evaluated in float64 by the reference interpreter, are PyTorch's to rounding."""

import re

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from raf import session, tools  # noqa: E402

import twins  # noqa: E402

# Constants in the IR are float32 (an epsilon, GELU's slope), which a float64 run keeps: 6e-8 of the constant. Llama's rotary
# angles are float32 throughout, up to tens of radians.
RELATIVE = {"mlp": 1e-9, "llama": 1e-5}
USUAL = 1e-6


def names(module, function):
    """raf.name of a function's arguments and of its results."""
    header = next(line for line in module.splitlines() if f"func.func @{function}(" in line)
    found = re.findall(r'raf\.name = "([^"]+)"', header)
    count = len(tools.signature(module, function)[0])
    return found[:count], found[count:]


@pytest.mark.parametrize("name", twins.SPECS)
def test_gradients_in_float64(name):
    """value_and_grad built by differentiation alone (no kernel, no fusion) gives PyTorch's float64 loss and gradients."""
    spec = twins.SPECS[name]
    module = tools.transform(session.print_model(spec), "raf-differentiate{outputs=true}")
    arguments, results = names(module, "value_and_grad")
    given = {**{key: w.numpy().astype(np.float64) for key, w in twins.weights(spec).items()},
             **{key: x.numpy() for key, x in twins.typed(twins.inputs(spec), torch.float64).items()}}
    assert set(arguments) == given.keys()
    values = tools.evaluate(module, [given[key] for key in arguments], "value_and_grad", float64=True)
    exact = twins.pytorch(spec, torch.float64)
    expected = {**exact.outputs, **{f"grad/{key}": g for key, g in exact.gradients.items()}}
    actual = dict(zip(results, values))
    assert actual.keys() == expected.keys()
    largest = max(np.abs(g).max() for g in exact.gradients.values())
    tolerance = RELATIVE.get(name, USUAL)
    for key in expected:
        np.testing.assert_allclose(actual[key], expected[key], rtol=tolerance, atol=tolerance * max(largest, 1), err_msg=key)
