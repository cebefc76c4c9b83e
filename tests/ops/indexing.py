"""Ops that read or write at computed indices. Duplicates accumulate; an index outside is an error."""

import numpy as np
import torch
import torch.nn.functional as F

from ops.harness import Bad, Record, Sample, integers, normal

SUMS = {"units": 1, "cancels": True, "reason": "sums of up to a few dozen values, rounded once"}
MOVES = {"units": 0, "reason": "moves elements"}


def take(x, indices, dim):
    return torch.index_select(x, dim, indices.reshape(-1)).reshape(
        (*x.shape[:dim], *indices.shape, *x.shape[dim + 1:]))


def put_add(base, indices, updates, dim):
    flat = updates.reshape((*base.shape[:dim], indices.numel(), *base.shape[dim + 1:]))
    return torch.index_add(base, dim, indices.reshape(-1), flat)


def embedding_grad(grad, ids, rows, padding=None):
    flat = grad.reshape(-1, grad.shape[-1])
    result = torch.zeros(rows, grad.shape[-1], dtype=grad.dtype).index_add(0, ids.reshape(-1), flat)
    if padding is not None:
        keep = torch.ones(rows, 1, dtype=grad.dtype)
        keep[padding] = 0
        result = result * keep
    return result


def dim(value):
    return f"dim = {value} : i64"


RECORDS = [
    Record("embedding", lambda w, ids, padding=None: F.embedding(ids, w, padding_idx=padding), [
        Sample([normal(11, 5), integers(0, 11, 3, 4)]),
        Sample([normal(11, 5), integers(0, 3, 17, dtype=np.int32)], name="duplicates"),
        Sample([normal(1, 1), np.array(0)]),
        Sample([normal(4, 3), integers(0, 4, 0)]),
        Sample([normal(4, 3), np.array([0, 1, 1, 3])], "padding_idx = 1 : i64", {"padding": 1}, "padding"),
    ], **MOVES, bad=[
        Bad(["tensor<4x3x2xf32>", "tensor<2xi64>"],
            '"raf.embedding"(%0, %1) : (tensor<4x3x2xf32>, tensor<2xi64>) -> tensor<2x3x2xf32>', "(C1)")]),
    Record("embedding_grad", embedding_grad, [
        Sample([normal(3, 4, 5), integers(0, 11, 3, 4)], "rows = 11 : i64", {"rows": 11}),
        Sample([normal(17, 5), integers(0, 3, 17, dtype=np.int32)], "rows = 3 : i64", {"rows": 3}, "duplicates"),
        Sample([normal(0, 5), integers(0, 3, 0)], "rows = 3 : i64", {"rows": 3}),
        Sample([normal(4, 3), np.array([0, 1, 1, 3])], "rows = 4 : i64, padding_idx = 1 : i64", {"rows": 4, "padding": 1}, "padding"),
    ], **SUMS, bad=[
        Bad(["tensor<4x3xf32>", "tensor<5xi64>"],
            '"raf.embedding_grad"(%0, %1) <{rows = 3 : i64}> : (tensor<4x3xf32>, tensor<5xi64>) -> tensor<3x3xf32>', "(C1)")]),
    Record("take", take, [
        Sample([normal(5, 7), integers(0, 5, 3)], dim(0), {"dim": 0}),
        Sample([normal(5, 7, 2), integers(0, 7, 3, 4)], dim(1), {"dim": 1}),
        Sample([normal(5), np.array(2)], dim(0), {"dim": 0}),
        Sample([normal(2, 5), integers(0, 5, 0)], dim(1), {"dim": 1}),
        Sample([integers(0, 2, 5).astype(bool), np.array([4, 4], np.int32)], dim(0), {"dim": 0}, "booleans", smooth=False),
    ], results=("in",), **MOVES, bad=[
        Bad(["tensor<4xf32>", "tensor<2xi64>"],
            '"raf.take"(%0, %1) <{dim = 1 : i64}> : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>', "(C1)")]),
    Record("put_add", put_add, [
        Sample([normal(5, 7), integers(0, 5, 3), normal(3, 7, seed=1)], dim(0), {"dim": 0}),
        Sample([normal(5, 7), integers(0, 2, 3, 4), normal(5, 3, 4, seed=1)], dim(1), {"dim": 1}, "duplicates"),
        Sample([normal(5), np.array([], np.int64), normal(0)], dim(0), {"dim": 0}),
        Sample([integers(0, 9, 5), np.array([1, 1, 4]), integers(0, 9, 3)], dim(0), {"dim": 0}, "integers", smooth=False),
    ], results=("in",), **SUMS, bad=[
        Bad(["tensor<4xf32>", "tensor<2xi64>", "tensor<3xf32>"],
            '"raf.put_add"(%0, %1, %2) <{dim = 0 : i64}> : (tensor<4xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<4xf32>', "(C1)")]),
    Record("gather", lambda x, indices, dim: torch.gather(x, dim, indices.long()), [
        Sample([normal(5, 7), integers(0, 7, 5, 3)], dim(1), {"dim": 1}),
        Sample([normal(5, 7), integers(0, 5, 9, 4)], dim(0), {"dim": 0}),
        Sample([normal(2, 3, 5), integers(0, 3, 2, 1, 5)], dim(1), {"dim": 1}),
        Sample([normal(5), integers(0, 5, 0)], dim(0), {"dim": 0}),
        Sample([integers(0, 9, 5, dtype=np.int8), np.array([4, 0], np.int32)], dim(0), {"dim": 0}, "int8", smooth=False),
    ], results=("in",), **MOVES, bad=[
        Bad(["tensor<4xf32>", "tensor<2x2xi64>"],
            '"raf.gather"(%0, %1) <{dim = 0 : i64}> : (tensor<4xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>', "(C1)"),
        Bad(["tensor<4x2xf32>", "tensor<2x3xi64>"],
            '"raf.gather"(%0, %1) <{dim = 0 : i64}> : (tensor<4x2xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>', "(C2)")]),
    Record("scatter_add", lambda base, indices, updates, dim: torch.scatter_add(base, dim, indices, updates), [
        Sample([normal(5, 7), integers(0, 7, 5, 3), normal(5, 3, seed=1)], dim(1), {"dim": 1}),
        Sample([normal(3, 7), integers(0, 2, 9, 4), normal(9, 4, seed=1)], dim(0), {"dim": 0}, "duplicates"),
        Sample([normal(5), integers(0, 5, 0), normal(0)], dim(0), {"dim": 0}),
    ], results=("in",), **SUMS, bad=[
        Bad(["tensor<4xf32>", "tensor<2xi64>", "tensor<3xf32>"],
            '"raf.scatter_add"(%0, %1, %2) <{dim = 0 : i64}> : (tensor<4xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<4xf32>', "(C1)")]),
]
