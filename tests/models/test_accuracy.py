"""The accuracy rule passes what is right and fails what is wrong: it is the measure of all other tests here."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import accuracy  # noqa: E402
import twins  # noqa: E402

# Below this share of the largest gradient a tensor is rounding around a true zero, which no rule can tell from zero.
VISIBLE = 1e-5


@pytest.fixture(params=twins.SPECS, ids=str)
def case(request):
    spec = twins.SPECS[request.param]
    exact, eager = twins.pytorch(spec, torch.float64), twins.pytorch(spec, torch.float32)
    return accuracy.rule_for(exact.gradients), eager, exact


def visible(exact):
    largest = max(accuracy.rms(g) for g in exact.gradients.values())
    return [name for name, g in exact.gradients.items() if accuracy.rms(g) > VISIBLE * largest]


def test_eager_passes_its_own_rule(case):
    """PyTorch in float32 is within the rule for every output, gradient and updated parameter."""
    rule, eager, exact = case
    assert rule.complaints(eager.all(), eager.all(), exact.all()) == []


def test_only_key_biases_have_no_gradient(case):
    """Everything else matters, so that the tests below cover every parameter (softmax ignores a shift of the keys)."""
    _, _, exact = case
    hidden = exact.gradients.keys() - visible(exact)
    assert all(name.endswith("key.bias") for name in hidden), hidden


@pytest.mark.parametrize("spoil", [
    pytest.param(np.zeros_like, id="zeroed"),
    pytest.param(lambda g: 1.001 * g, id="scaled-by-a-thousandth"),
    pytest.param(lambda g: -g, id="negated"),
    pytest.param(lambda g: g * np.nan, id="nan"),
    pytest.param(lambda g: np.roll(g, 1), id="shifted"),
    pytest.param(lambda g: g.reshape(-1), id="flattened"),
])
def test_one_wrong_gradient_is_found(case, spoil):
    """Whichever parameter's gradient is wrong, exactly that one is named."""
    rule, eager, exact = case
    for name in visible(exact):
        if spoil(eager.gradients[name]).shape == eager.gradients[name].shape and np.array_equal(
                spoil(eager.gradients[name]), eager.gradients[name]):
            continue  # flattening a vector, shifting a scalar: nothing is wrong
        wrong = {**eager.gradients, name: spoil(eager.gradients[name])}
        complaints = rule.complaints(wrong, eager.gradients, exact.gradients)
        assert len(complaints) == 1 and complaints[0].startswith(f"{name}: "), (name, complaints)


def test_swapped_gradients_are_found(case):
    """Two parameters of one shape with each other's gradients are both named."""
    rule, eager, exact = case
    names = visible(exact)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1:] if exact.gradients[a].shape == exact.gradients[b].shape]
    assert pairs
    for a, b in pairs:
        wrong = {**eager.gradients, a: eager.gradients[b], b: eager.gradients[a]}
        found = {line.split(":")[0] for line in rule.complaints(wrong, eager.gradients, exact.gradients)}
        assert found == {a, b}


def test_a_missing_and_an_unexpected_tensor_are_found(case):
    """A gradient that is not there is a failure, and so is one that PyTorch does not have."""
    rule, eager, exact = case
    name = next(iter(exact.gradients))
    wrong = {key: g for key, g in eager.gradients.items() if key != name} | {"ghost": np.zeros(3)}
    assert rule.complaints(wrong, eager.gradients, exact.gradients) == sorted([f"{name}: missing", "ghost: unexpected"])


def test_a_step_that_was_not_made_is_found(case):
    """Parameters left as they were do not pass for updated ones."""
    rule, eager, exact = case
    spec = next(spec for spec in twins.SPECS.values() if twins.pytorch(spec, torch.float64) is exact)
    stale = {name: w.numpy() for name, w in twins.weights(spec).items()}
    # Adam makes a whole step of a gradient that is only rounding (the key third of a joined projection's bias), in a direction that
    # float32 and float64 do not share: there eager itself is as far off as the step is long.
    step = twins.HYPER["lr"]
    steady = {name for name in visible(exact) if accuracy.rms(eager.updated[name] - exact.updated[name]) < 0.1 * step}
    assert len(steady) >= 0.9 * len(visible(exact))
    found = {line.split(":")[0] for line in rule.complaints(stale, eager.updated, exact.updated)}
    assert steady <= found
