"""Matrix products."""

import torch

from ops.harness import Bad, Record, Sample, normal


def matmul(a, b, ta=False, tb=False):
    return (a.mT if ta else a) @ (b.mT if tb else b)


def sample(a, b, ta=False, tb=False):
    attributes = ", ".join(name for name, on in (("transpose_a", ta), ("transpose_b", tb)) if on)
    return Sample([normal(*a), normal(*b, seed=1)], attributes, {"ta": ta, "tb": tb})


def bad(a, b, result, label, element="f32"):
    return Bad([f"tensor<{a}xf32>", f"tensor<{b}x{element}>"],
               f'"raf.matmul"(%0, %1) : (tensor<{a}xf32>, tensor<{b}x{element}>) -> tensor<{result}xf32>', label)


RECORDS = [
    Record("matmul", matmul, [
        sample((3, 5), (5, 7)),
        sample((5, 3), (5, 7), ta=True),
        sample((3, 5), (7, 5), tb=True),
        sample((5, 3), (7, 5), ta=True, tb=True),
        sample((1, 1), (1, 1)),
        sample((1, 67), (67, 1)),
        sample((3, 0), (0, 2)),
        sample((0, 3), (3, 2)),
        sample((2, 3, 5), (2, 5, 4)),
        sample((2, 1, 3, 5), (3, 5, 4)),
        sample((3, 5), (2, 5, 4)),
        sample((2, 3, 5, 3), (2, 1, 4, 5), ta=True, tb=True),
    ], units=1, cancels=True, reason="summed in double by the reference, rounded once", bad=[
        bad("3", "3x2", "2", "(C1)"), bad("3x4", "3x2", "3x2", "(C2)"), bad("2x3x4", "3x4x2", "2x3x2", "(C3)"),
        bad("3x4", "4x2", "3x2", "(C4)", "f64")]),
]
