"""What an op refuses, and in which words; what makes a program fail when it runs."""

import numpy as np
import pytest

from ops.harness import records
from raf import tools

BAD = [(f"{record.op}-{i}-{bad.message}", record, bad) for record in records() for i, bad in enumerate(record.bad)]


@pytest.mark.parametrize("record, bad", [b[1:] for b in BAD], ids=[b[0].replace(" ", "_") for b in BAD])
def test_refused_with_the_constraint_it_breaks(record, bad):
    """The verifier names the op, the broken constraint and where it stands."""
    arguments = ", ".join(f"%{i}: {t}" for i, t in enumerate(bad.types))
    with pytest.raises(tools.Error) as error:
        tools.transform(f"func.func @forward({arguments}) {{\n  {bad.statement}\n  return\n}}\n", "")
    message = str(error.value)
    assert bad.message in message
    assert f"raf.{record.op}" in message
    assert message.startswith("module:2:")


INDEXED = {
    "embedding": "(tensor<5x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>",
    "take": "(tensor<5x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>",
    "gather": "(tensor<5x2xf32>, tensor<3x2xi64>) -> tensor<3x2xf32>",
}


@pytest.mark.parametrize("index", [5, -1, 2**40])
@pytest.mark.parametrize("op", INDEXED)
def test_index_outside_is_an_error(op, index):
    """The reference reports an index outside [0, extent) instead of reading elsewhere."""
    types = INDEXED[op][1:].split(")")[0].split(", ")
    attributes = "" if op == "embedding" else "<{dim = 0 : i64}>"
    module = (f"func.func @forward(%0: {types[0]}, %1: {types[1]}) -> tensor<3x2xf32> {{\n"
              f'  %r = "raf.{op}"(%0, %1) {attributes} : {INDEXED[op]}\n  return %r : tensor<3x2xf32>\n}}\n')
    indices = np.zeros((3, 2) if op == "gather" else 3, np.int64)
    indices.flat[1] = index
    with pytest.raises(tools.Error, match=rf"module:2:8: 'raf.{op}' op expected an index within \[0, 5\), but got {index}"):
        tools.evaluate(module, [np.zeros((5, 2)), indices])


def test_label_outside_is_an_error():
    """cross_entropy's reference reports a label that is no class and not ignore_index."""
    module = ("func.func @forward(%0: tensor<2x3xf32>, %1: tensor<2xi64>) -> tensor<f32> {\n"
              '  %r:2 = "raf.cross_entropy"(%0, %1) <{reduction = 1 : i32}> : (tensor<2x3xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xf32>)\n'
              "  return %r#0 : tensor<f32>\n}\n")
    with pytest.raises(tools.Error, match=r"raf.cross_entropy' op expected an index within \[0, 3\), but got 3"):
        tools.evaluate(module, [np.zeros((2, 3)), np.array([0, 3])])
    assert np.isfinite(tools.evaluate(module, [np.zeros((2, 3)), np.array([0, -100])])[0])


def test_integer_division_by_zero_is_an_error():
    """Integers have no infinity to give."""
    module = ("func.func @forward(%0: tensor<1xi32>, %1: tensor<1xi32>) -> tensor<1xi32> {\n"
              "  %r = raf.div %0, %1 : tensor<1xi32>\n  return %r : tensor<1xi32>\n}\n")
    with pytest.raises(tools.Error, match="raf.div' op expected a divisor other than 0"):
        tools.evaluate(module, [np.ones(1, np.int32), np.zeros(1, np.int32)])


def test_a_result_too_large_is_refused():
    """A module cannot make the interpreter take all memory."""
    module = ("func.func @forward(%0: tensor<f32>) -> tensor<99999x99999x99999x99999xf32> {\n"
              "  %r = raf.broadcast %0 dims [] : tensor<f32> -> tensor<99999x99999x99999x99999xf32>\n"
              "  return %r : tensor<99999x99999x99999x99999xf32>\n}\n")
    with pytest.raises(tools.Error, match="expected a result of at most"):
        tools.evaluate(module, [np.zeros(())])


def test_arguments_are_checked():
    """Number, types and shapes of the arguments must be those of the function."""
    module = "func.func @forward(%0: tensor<2xf32>) -> tensor<2xf32> {\n  return %0 : tensor<2xf32>\n}\n"
    with pytest.raises(tools.Error, match="expected 1 arguments, but got 2"):
        tools.evaluate(module, [np.zeros(2), np.zeros(2)])
    with pytest.raises(tools.Error, match=r"argument 0 expected 'tensor<2xf32>', but got f32 \[3\]"):
        tools.evaluate(module, [np.zeros(3)])
    with pytest.raises(tools.Error, match="expected a function @backward"):
        tools.evaluate(module, [np.zeros(2)], function="backward")
