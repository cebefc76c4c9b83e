"""Loss, outputs, every gradient and every updated parameter of the zoo are within the accuracy rule of PyTorch's."""

import pytest

torch = pytest.importorskip("torch")
import accuracy  # noqa: E402
import raf_results  # noqa: E402
import twins  # noqa: E402

DIALECTS = ["onednn,gen", "gen"]
pytestmark = [pytest.mark.parametrize("dialects", DIALECTS), pytest.mark.parametrize("spec", twins.SPECS.values(), ids=twins.SPECS)]


CLIP = 0.1  # far below the norm of any of these models' gradients


def compare(spec, actual, which, steps=1, **options):
    exact, eager = (twins.pytorch(spec, dtype, steps, **options) for dtype in (torch.float64, torch.float32))
    complaints = accuracy.rule_for(exact.gradients).complaints(actual, which(eager), which(exact))
    assert not complaints, "\n".join(complaints)


def test_loss_outputs_and_every_gradient(spec, dialects):
    """value_and_grad on PyTorch's own weights gives PyTorch's loss, logits and a gradient for every parameter."""
    compare(spec, raf_results.first_step(spec, dialects),
            lambda results: {**results.outputs, **{f"grad/{name}": g for name, g in results.gradients.items()}})


def test_parameters_after_a_step(spec, dialects):
    """One train_step moves every parameter as torch.optim.AdamW does, decay groups included."""
    compare(spec, raf_results.updated(spec, 1, dialects), lambda results: results.updated)


def test_parameters_after_five_steps(spec, dialects):
    """Optimizer state carries over: bias correction and both moments are right in later steps too."""
    compare(spec, raf_results.updated(spec, 5, dialects), lambda results: results.updated, steps=5)


def test_clipping(spec, dialects):
    """Gradients are clipped by their global norm as torch does it, and grad_norm is the norm before that."""
    assert twins.pytorch(spec, torch.float64, 3, clip=CLIP).outputs["grad_norm"] > 2 * CLIP
    compare(spec, raf_results.updated(spec, 3, dialects, CLIP),
            lambda results: {**results.updated, "grad_norm": results.outputs["grad_norm"]}, steps=3, clip=CLIP)
