"""Reductions, scans, sorting."""

import math

import numpy as np
import torch

from ops.harness import Bad, Record, Sample, array_attribute, integers, normal, uniform

NAN, INF = math.nan, math.inf
SPECIAL = np.array([[NAN, 1.0, 2.0], [INF, -INF, 1.0], [-INF, -INF, -INF], [INF, 1.0, 2.0], [3.0, 3.0, -1.0]])
ONCE = "summed in double by the reference, rounded once"


def over(values, dims, **options):
    return Sample([values], f"dims = {array_attribute(dims)}", {"dims": dims}, **options)


def fold(one):
    """A PyTorch reduction over one dimension, applied to several."""
    def apply(x, dims):
        for d in sorted(dims, reverse=True):
            x = one(x, d)
        return x
    return apply


def several(function):
    return lambda x, dims: function(x, dims) if dims else function(x.unsqueeze(0), (0,))


DIMS_BAD = [
    ("array<i64: 2>", "tensor<2x3xf32>"),
    ("array<i64: 1, 0>", "tensor<f32>"),
]


def bad(op):
    return [Bad(["tensor<2x3xf32>"], f'"raf.{op}"(%0) <{{dims = {dims}}}> : (tensor<2x3xf32>) -> {result}', "(C1)")
            for dims, result in DIMS_BAD]


def reduction(op, function, ints=False, empty=True, special=True, **options):
    samples = [over(normal(4, 5, 6), d) for d in ((2,), (0,), (0, 2), (0, 1, 2), (1,), ())]
    samples += [over(normal(1), (0,)), over(normal(), ()), over(normal(67), (0,))]
    if empty:
        samples += [over(normal(3, 0), (1,), name="empty", smooth=False), over(normal(0, 3), (1,))]
    if special:
        samples.append(over(SPECIAL, (1,), name="special", smooth=False))
    if ints:
        samples += [over(integers(-5, 6, 5, 7, dtype=t), (1,), name=t.__name__, smooth=False)
                    for t in (np.int8, np.int16, np.int32, np.int64)]
    return Record(op, function, samples, results=("in",), cancels=True, reason=ONCE, bad=bad(op), **options)


def torch_sum(x, dims):
    return x.sum(dims, dtype=x.dtype) if dims else x


def product(x, dim):
    return x.prod(dim, dtype=x.dtype)


def extreme(function, empty):
    def one(x, dim):
        if x.shape[dim] == 0:
            return torch.full(x.shape[:dim] + x.shape[dim + 1:], empty, dtype=x.dtype)
        return function(x, dim)
    return fold(one)


def variance(x, dims, correction):
    return torch.var(x if dims else x.unsqueeze(0), dims or 0, correction=correction)


def logical(op, one):
    return Record(op, fold(one), [over(integers(0, 2, *s, seed=3).astype(bool), d, smooth=False)
                                  for s, d in (((3, 4), (1,)), ((2, 3, 2), (0, 2)), ((2, 0), (1,)), ((), ()), ((5,), (0,)))],
                  results=("i1",), dtypes=("f32",), gradient=(), no_gradient="not a function of floats", bad=[
        Bad(["tensor<2xi1>"], f'"raf.{op}"(%0) <{{dims = array<i64: 1>}}> : (tensor<2xi1>) -> tensor<2xi1>', "(C1)")])


def along(values, dim, extra="", **options):
    keywords = {key: options.pop(key) for key in ("descending", "k", "reverse") if key in options}
    return Sample([values], f"dim = {dim} : i64{extra}", {"dim": dim, **keywords}, **options)


TIES = np.array([[1.0, 3.0, 3.0, NAN, NAN], [2.0, 2.0, 2.0, 2.0, 2.0], [-INF, INF, 0.0, INF, -INF]])


def arg(op, torch_function):
    def reference(x, dim):
        # PyTorch leaves open which of several extremes it names: the first is ours.
        values = x.double()
        best = torch_function(values, dim, keepdim=True).values
        hits = torch.where(torch.isnan(best), torch.isnan(values), values == best)
        return hits.int().argmax(dim) if hits.numel() else torch.zeros(hits.shape[:dim] + hits.shape[dim + 1:], dtype=torch.int64)
    return Record(op, reference, [
        along(normal(4, 7), 1), along(normal(4, 7, 3), 1), along(normal(1), 0), along(normal(0, 3), 1),
        along(TIES, 1, name="ties"), along(integers(-3, 4, 9, 5), 0, name="int64"),
        along(integers(0, 256, 9, dtype=np.uint8), 0, name="uint8"),
    ], results=("i64",), gradient=(), no_gradient="gives indices", bad=[
        Bad(["tensor<2x0xf32>"], f'"raf.{op}"(%0) <{{dim = 1 : i64}}> : (tensor<2x0xf32>) -> tensor<2xi64>', "(C1)"),
        Bad(["tensor<2xf32>"], f'"raf.{op}"(%0) <{{dim = 1 : i64}}> : (tensor<2xf32>) -> tensor<i64>', "(C1)")])


def cumsum(x, dim, reverse=False):
    if reverse:
        return x.flip(dim).cumsum(dim, dtype=x.dtype).flip(dim)
    return x.cumsum(dim, dtype=x.dtype)


def sort(x, dim, descending=False):
    return torch.sort(x, dim=dim, descending=descending, stable=True)


def topk(x, dim, k):
    # torch.topk does not say which of equals it takes; the first is ours.
    values, indices = torch.sort(x, dim=dim, descending=True, stable=True)
    return values.narrow(dim, 0, k), indices.narrow(dim, 0, k)


def sort_bad(op, extra=""):
    return Bad(["tensor<2xf32>"],
               f'%r:2 = "raf.{op}"(%0) <{{dim = 1 : i64{extra}}}> : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi64>)', "(C1)")


RECORDS = [
    reduction("reduce_sum", torch_sum, ints=True),
    reduction("reduce_max", extreme(torch.amax, -INF), ints=True),
    reduction("reduce_min", extreme(torch.amin, INF), ints=True),
    reduction("reduce_prod", fold(product), ints=True, units=2),
    logical("reduce_any", torch.any),
    logical("reduce_all", torch.all),
    reduction("mean", several(torch.mean), units=2),
    reduction("logsumexp", several(torch.logsumexp), units=4),
    Record("var", variance, [
        Sample([normal(*s, shift=3)], f"dims = {array_attribute(d)}, correction = {c} : i64", {"dims": d, "correction": c}, smooth=good)
        for s, d, c, good in (((4, 7), (1,), 1, True), ((4, 7), (1,), 0, True), ((3, 4, 5), (0, 2), 1, True), ((2, 1), (1,), 0, False),
                              ((2, 1), (1,), 1, False), ((3, 0), (1,), 0, False), ((67,), (0,), 1, True))
    ], units=8, cancels=True, reason="squares of differences from a rounded mean", bad=[
        Bad(["tensor<2xf32>"], '"raf.var"(%0) <{dims = array<i64: 1>, correction = 0 : i64}> : (tensor<2xf32>) -> tensor<2xf32>', "(C1)")]),
    arg("argmax", torch.max),
    arg("argmin", torch.min),
    Record("cumsum", cumsum, [
        along(normal(3, 7), 1), along(normal(3, 7, 2), 1, ", reverse", reverse=True), along(normal(1), 0), along(normal(2, 0), 1),
        along(integers(-9, 9, 7, dtype=np.int32), 0, smooth=False),
    ], results=("in",), cancels=True, reason=ONCE, bad=[
        Bad(["tensor<2xf32>"], '"raf.cumsum"(%0) <{dim = 1 : i64}> : (tensor<2xf32>) -> tensor<2xf32>', "(C1)")]),
    Record("sort", sort, [
        along(normal(3, 7), 1), along(normal(5, 3), 0, ", descending", descending=True), along(normal(1), 0), along(normal(2, 0), 1),
        along(TIES, 1, name="ties", smooth=False), along(TIES, 1, ", descending", descending=True, name="ties descending", smooth=False),
        along(integers(-3, 4, 19, dtype=np.int8), 0, smooth=False),
    ], results=("in", "i64"), units=0, reason="moves elements", bad=[sort_bad("sort")]),
    Record("topk", topk, [
        along(normal(3, 7), 1, ", k = 3 : i64", k=3), along(normal(5, 3), 0, ", k = 5 : i64", k=5), along(normal(4), 0, ", k = 0 : i64", k=0),
        along(TIES, 1, ", k = 2 : i64", k=2, name="ties", smooth=False),
        along(integers(-3, 4, 19, dtype=np.int32), 0, ", k = 4 : i64", k=4, smooth=False),
    ], results=("in", "i64"), units=0, reason="moves elements", bad=[
        sort_bad("topk", ", k = 1 : i64"),
        Bad(["tensor<2xf32>"],
            '%r:2 = "raf.topk"(%0) <{dim = 0 : i64, k = 3 : i64}> : (tensor<2xf32>) -> (tensor<3xf32>, tensor<3xi64>)', "(C2)")]),
]
