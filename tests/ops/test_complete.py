"""No op of the dialect is left out of a stage or of these tests."""

import pytest

from ops.harness import records
from raf import tools

OPS = tools.registered_ops()
RAF = sorted(name for name in OPS if name.startswith("raf."))
# Made by every test that has a number in it.
BUILT_IN_TESTS = {"raf.constant", "raf.iota"}
STAGES = ["cast_policy", "cost", "shardable", "differentiable"]


@pytest.mark.parametrize("op", RAF)
def test_has_a_record(op):
    """Every op is compared with PyTorch."""
    if op not in BUILT_IN_TESTS:
        assert op[4:] in {record.op for record in records()}


@pytest.mark.parametrize("op", RAF)
def test_says_what_it_means_to_every_stage(op):
    """Every op has the interfaces that all stages ask for, and the reference can evaluate it."""
    assert set(STAGES) <= set(OPS[op]), f"{op} lacks {set(STAGES) - set(OPS[op])}"
    assert {"reference", "decomposable"} & set(OPS[op]), f"{op} has neither a reference evaluation nor a decomposition"


@pytest.mark.parametrize("op", sorted(name for name in OPS if name.split(".")[0] in ("onednn", "rt")))
def test_library_kernel_has_a_reference(op):
    """Library kernels can be compared with the reference too, so that a covered program can be checked."""
    assert {"kernel", "library_call", "reference"} <= set(OPS[op])


@pytest.mark.parametrize("record", [r for r in records() if not r.units <= 0.51], ids=lambda r: r.op)
def test_tolerance_has_a_reason(record):
    """A tolerance beyond one rounding says where it comes from."""
    assert record.reason


@pytest.mark.parametrize("record", [r for r in records() if r.gradient == ()], ids=lambda r: r.op)
def test_missing_gradient_has_a_reason(record):
    """A record without gradients says why there are none."""
    assert record.no_gradient
