"""Softmax and normalizations."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from ops.harness import Bad, Record, Sample, f64, normal

NAN, INF = math.nan, math.inf
ROWS = np.array([[1.0, -INF, 2.0], [-INF, -INF, -INF], [NAN, 1.0, 2.0], [80.0, -80.0, 0.0]])


def softmax_record(op, function):
    def sample(values, dim, **options):
        return Sample([values], f"dim = {dim} : i64", {"dim": dim}, **options)
    return Record(op, function, [
        sample(normal(5, 7), 1), sample(normal(5, 7), 0), sample(normal(2, 3, 5), 1), sample(normal(3, 1), 1), sample(normal(0, 3), 1),
        sample(normal(3, 67, scale=30), 1, name="wide"), sample(ROWS, 1, name="special", smooth=False),
    ], units=4, cancels=True, reason="a handful of roundings in the statistics' type", bad=[
        Bad(["tensor<2x3xf32>"], f'"raf.{op}"(%0) <{{dim = 2 : i64}}> : (tensor<2x3xf32>) -> tensor<2x3xf32>', "(C1)")])


def segments(*present):
    return "operandSegmentSizes = array<i32: " + ", ".join(str(int(p)) for p in present) + ">"


def layer_norm(x, weight, bias, axes, eps):
    shape = x.shape[x.dim() - axes:]
    dims = tuple(range(x.dim() - axes, x.dim()))
    mean = x.mean(dims)
    rstd = 1 / torch.sqrt(x.var(dims, correction=0) + eps)
    if weight is None and bias is not None:
        weight = torch.ones(shape, dtype=x.dtype)  # PyTorch cannot differentiate twice without
    return F.layer_norm(x, shape, weight, bias, eps), mean, rstd


def layer_sample(shape, axes, weight=True, bias=True, **options):
    eps = options.pop("eps", 1e-5)
    affine = shape[len(shape) - axes:]
    return Sample([normal(*shape, scale=2, shift=1), normal(*affine, seed=1) if weight else None, normal(*affine, seed=2) if bias else None],
                  f"axes = {axes} : i64, eps = {f64(eps)}, " + segments(1, weight, bias), {"axes": axes, "eps": eps}, **options)


def rms_norm(x, weight, axes, eps):
    dims = tuple(range(x.dim() - axes, x.dim()))
    rstd = torch.rsqrt((x * x).mean(dims) + eps)
    return F.rms_norm(x, x.shape[x.dim() - axes:], weight, eps), rstd


def rms_sample(shape, axes, weight=True, **options):
    eps = options.pop("eps", 1e-6)
    return Sample([normal(*shape, scale=2), normal(*shape[len(shape) - axes:], seed=1) if weight else None],
                  f"axes = {axes} : i64, eps = {f64(eps)}", {"axes": axes, "eps": eps}, **options)


STATISTICS = "statistics in float32 or wider, one rounding at the end; float32 rows of unit scale keep a few units"

RECORDS = [
    softmax_record("softmax", torch.softmax),
    softmax_record("log_softmax", torch.log_softmax),
    Record("layer_norm", layer_norm, [
        layer_sample((4, 8), 1), layer_sample((4, 7), 1, weight=False, bias=False), layer_sample((4, 7), 1, bias=False),
        layer_sample((4, 7), 1, weight=False), layer_sample((2, 3, 5), 2), layer_sample((5,), 1), layer_sample((0, 5), 1),
        layer_sample((3, 67), 1, eps=1e-12), layer_sample((2, 1), 1, eps=0.1),
    ], results=("x", "stat", "stat"), units=8, cancels=True, reason=STATISTICS, bad=[
        Bad(["tensor<2x3xf32>"], '%r:3 = "raf.layer_norm"(%0) <{axes = 3 : i64, eps = 0.1 : f64, operandSegmentSizes = array<i32: 1, 0, 0>}> : '
            "(tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<f32>, tensor<f32>)", "(C1)"),
        Bad(["tensor<2x3xf32>", "tensor<2xf32>"],
            '%r:3 = "raf.layer_norm"(%0, %1) <{axes = 1 : i64, eps = 0.1 : f64, operandSegmentSizes = array<i32: 1, 1, 0>}> : '
            "(tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)", "(C2)")]),
    Record("rms_norm", rms_norm, [
        rms_sample((4, 8), 1), rms_sample((4, 7), 1, weight=False), rms_sample((2, 3, 5), 2), rms_sample((5,), 1),
        rms_sample((0, 5), 1), rms_sample((3, 67), 1), rms_sample((2, 1), 1),
    ], results=("x", "stat"), units=8, cancels=True, reason=STATISTICS, bad=[
        Bad(["tensor<2x3xf32>"], '%r:2 = "raf.rms_norm"(%0) <{axes = 0 : i64, eps = 0.1 : f64}> : '
            "(tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)", "(C1)"),
        Bad(["tensor<2x3xf32>", "tensor<2xf32>"], '%r:2 = "raf.rms_norm"(%0, %1) <{axes = 1 : i64, eps = 0.1 : f64}> : '
            "(tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)", "(C2)")]),
]
