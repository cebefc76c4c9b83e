"""Constants and ops that move elements."""

import numpy as np
import torch

from ops.harness import Bad, Record, Sample, array_attribute, integers, normal


def dims(**arrays):
    return ", ".join(f"{name} = {array_attribute(values)}" for name, values in arrays.items())


def broadcast(x, dimensions, shape):
    view = [1] * len(shape)
    for i, d in enumerate(dimensions):
        view[d] = x.shape[i]
    return x.reshape(view).expand(shape).contiguous()


def broadcast_sample(x, dimensions, shape, **options):
    return Sample([x], dims(dimensions=dimensions), {"dimensions": dimensions, "shape": shape}, **options)


def slice_(x, starts, limits, strides):
    return x[tuple(slice(a, b, s) for a, b, s in zip(starts, limits, strides))]


def slice_sample(x, starts, limits, strides, **options):
    values = {"starts": starts, "limits": limits, "strides": strides}
    return Sample([x], dims(**values), values, **options)


def pad(x, value, low, high):
    shape = [a + n + b for a, n, b in zip(low, x.shape, high)]
    result = value.expand(shape).clone()
    result[tuple(slice(a, a + n) for a, n in zip(low, x.shape))] = x
    return result


def pad_sample(x, value, low, high, **options):
    return Sample([x, value], dims(low=low, high=high), {"low": low, "high": high}, **options)


def concat(*inputs, dim):
    return torch.cat(inputs, dim)


MOVES = {"units": 0, "reason": "moves elements"}

RECORDS = [
    Record("reshape", lambda x, shape: x.reshape(shape), [
        Sample([normal(4, 6)], "", {"shape": (3, 8)}),
        Sample([normal(1)], "", {"shape": ()}),
        Sample([normal(0, 3)], "", {"shape": (2, 0)}),
        Sample([integers(0, 2, 6).astype(bool)], "", {"shape": (2, 3)}, smooth=False),
    ], results=("in",), **MOVES, bad=[
        Bad(["tensor<4xf32>"], '"raf.reshape"(%0) : (tensor<4xf32>) -> tensor<5xf32>', "(C2)"),
        Bad(["tensor<4xf32>"], '"raf.reshape"(%0) : (tensor<4xf32>) -> tensor<4xf64>', "(C1)")]),
    Record("transpose", lambda x, permutation: x.permute(permutation), [
        Sample([normal(2, 3, 5)], dims(permutation=p), {"permutation": p}) for p in ((2, 0, 1), (0, 2, 1), (0, 1, 2))
    ] + [
        Sample([normal()], dims(permutation=()), {"permutation": ()}),
        Sample([normal(0, 3)], dims(permutation=(1, 0)), {"permutation": (1, 0)}),
        Sample([integers(-9, 9, 3, 4, dtype=np.int8)], dims(permutation=(1, 0)), {"permutation": (1, 0)}, smooth=False),
    ], results=("in",), **MOVES, bad=[
        Bad(["tensor<2x3xf32>"], '"raf.transpose"(%0) <{permutation = array<i64: 0, 0>}> : (tensor<2x3xf32>) -> tensor<2x2xf32>', "(C1)")]),
    Record("broadcast", broadcast, [
        broadcast_sample(normal(3), (1,), (2, 3)),
        broadcast_sample(normal(3), (0,), (3, 5)),
        broadcast_sample(normal(3, 1), (0, 2), (3, 4, 7)),
        broadcast_sample(normal(), (), (2, 2)),
        broadcast_sample(normal(1), (0,), (0,)),
        broadcast_sample(integers(0, 2, 1, 3).astype(bool), (0, 1), (4, 3), smooth=False),
    ], results=("in",), **MOVES, bad=[
        Bad(["tensor<3xf32>"], '"raf.broadcast"(%0) <{dimensions = array<i64: 2>}> : (tensor<3xf32>) -> tensor<2x3xf32>', "(C1)"),
        Bad(["tensor<3xf32>"], '"raf.broadcast"(%0) <{dimensions = array<i64: 0>}> : (tensor<3xf32>) -> tensor<4xf32>', "(C2)"),
        Bad(["tensor<3xf32>"], '"raf.broadcast"(%0) <{dimensions = array<i64: 0>}> : (tensor<3xf32>) -> tensor<3xf64>', "(C3)")]),
    Record("slice", slice_, [
        slice_sample(normal(5, 7), (1, 0), (4, 7), (1, 1)),
        slice_sample(normal(5, 7), (0, 1), (5, 6), (2, 3)),
        slice_sample(normal(5), (3,), (3,), (1,)),
        slice_sample(normal(), (), (), ()),
        slice_sample(integers(-9, 9, 6), (2,), (6,), (3,), smooth=False),
    ], results=("in",), **MOVES, bad=[
        Bad(["tensor<5xf32>"], '"raf.slice"(%0) <{starts = array<i64: 1>, limits = array<i64: 6>, strides = array<i64: 1>}> : '
            "(tensor<5xf32>) -> tensor<5xf32>", "(C2)"),
        Bad(["tensor<5xf32>"], '"raf.slice"(%0) <{starts = array<i64: 1>, limits = array<i64: 2>, strides = array<i64: 0>}> : '
            "(tensor<5xf32>) -> tensor<1xf32>", "(C3)")]),
    Record("concat", concat, [
        Sample([normal(2, 3), normal(2, 1, seed=1), normal(2, 4, seed=2)], "dim = 1 : i64", {"dim": 1}),
        Sample([normal(2, 3), normal(0, 3)], "dim = 0 : i64", {"dim": 0}),
        Sample([normal(3)], "dim = 0 : i64", {"dim": 0}),
        Sample([integers(0, 9, 2), integers(0, 9, 5)], "dim = 0 : i64", {"dim": 0}, smooth=False),
    ], results=("in",), **MOVES, bad=[
        Bad(["tensor<2x3xf32>"], '"raf.concat"(%0) <{dim = 2 : i64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>', "(C1)"),
        Bad(["tensor<2x3xf32>", "tensor<3x3xf32>"],
            '"raf.concat"(%0, %1) <{dim = 1 : i64}> : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x6xf32>', "(C3)")]),
    Record("pad", pad, [
        pad_sample(normal(2, 3), normal(), (1, 0), (0, 2)),
        pad_sample(normal(3), normal(), (0,), (0,)),
        pad_sample(normal(0), normal(), (2,), (1,)),
        pad_sample(normal(), normal(seed=1), (), ()),
    ], results=("in",), **MOVES, bad=[
        Bad(["tensor<3xf32>", "tensor<f32>"],
            '"raf.pad"(%0, %1) <{low = array<i64: -1>, high = array<i64: 0>}> : (tensor<3xf32>, tensor<f32>) -> tensor<2xf32>', "(C1)"),
        Bad(["tensor<3xf32>", "tensor<f64>"],
            '"raf.pad"(%0, %1) <{low = array<i64: 1>, high = array<i64: 0>}> : (tensor<3xf32>, tensor<f64>) -> tensor<4xf32>', "(C2)")]),
    Record("reverse", lambda x, dims: torch.flip(x, dims), [
        Sample([normal(3, 4)], dims(dims=(0,)), {"dims": (0,)}),
        Sample([normal(3, 4)], dims(dims=(0, 1)), {"dims": (0, 1)}),
        Sample([normal(3, 0)], dims(dims=(1,)), {"dims": (1,)}),
        Sample([normal(3)], dims(dims=()), {"dims": ()}),
    ], results=("in",), **MOVES, bad=[
        Bad(["tensor<3xf32>"], '"raf.reverse"(%0) <{dims = array<i64: 1>}> : (tensor<3xf32>) -> tensor<3xf32>', "(C1)")]),
]
