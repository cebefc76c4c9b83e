"""Random ops, against a second implementation of the counter generator (Philox4x32-10)."""

import numpy as np
import torch

from ops.harness import Bad, Record, Sample, normal

MASK = 0xFFFFFFFF


def words(seed, step, op, count):
    """One 32-bit word per element: block index/4 of the counter, word index % 4."""
    result = []
    for block in range((count + 3) // 4):
        c = [block & MASK, block >> 32, op & MASK, step & MASK]
        k0, k1 = seed & MASK, (seed >> 32) & MASK
        for _ in range(10):
            p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [(p1 >> 32) ^ c[1] ^ k0, p1 & MASK, (p0 >> 32) ^ c[3] ^ k1, p0 & MASK]
            k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
        result += c
    return np.array(result, np.uint64)


def uniform(key, shape, id):
    count = int(np.prod(shape))
    seed, step = (int(v) for v in key)
    return torch.tensor((words(seed, step, id, count)[:count] >> 8).astype(np.float64) * 2.0**-24).reshape(shape)


def gaussian(key, shape, id):
    count = int(np.prod(shape))
    seed, step = (int(v) for v in key)
    w = words(seed, step, id, count).astype(np.int64) >> 8
    radius = np.sqrt(-2 * np.log((w[0::2] + 1) * 2.0**-24))
    angle = 2 * np.pi * (w[1::2] * 2.0**-24)
    pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], -1).reshape(-1)
    return torch.tensor(pairs[:count]).reshape(shape)


def dropout(x, key, p, id):
    kept = uniform(key, tuple(x.shape), id) >= np.float32(p)
    return torch.where(kept, x / (1 - p) if p < 1 else 0 * x, 0 * x)


KEYS = (np.array([0, 0]), np.array([2**40 + 12345, 7]), np.array([-1, 3]))


def random_samples():
    return [Sample([key], f"id = {i} : i64", {"shape": shape, "id": i})
            for i, (key, shape) in enumerate(zip(KEYS * 2, ((5, 7), (1,), (), (3, 0), (67,), (2, 2))))]


def bad(op):
    return [Bad(["tensor<3xi64>"], f'"raf.{op}"(%0) <{{id = 0 : i64}}> : (tensor<3xi64>) -> tensor<2xf32>', "(C1)")]


RECORDS = [
    Record("uniform", uniform, random_samples(), results=("f32",), dtypes=("f32",), gradient=(), no_gradient="has no float inputs",
           units=0, reason="exact by contract", bad=bad("uniform")),
    Record("normal", gaussian, random_samples(), results=("f32",), dtypes=("f32",), gradient=(), no_gradient="has no float inputs",
           units=8, cancels=True, reason="log, cos and sin in float32; near multiples of pi the angle's rounding shows", bad=bad("normal")),
    Record("dropout", dropout, [
        Sample([normal(*shape), KEYS[i % 3]], f"p = {p} : f64, id = {i} : i64", {"p": p, "id": i})
        for i, (shape, p) in enumerate((((5, 7), 0.5), ((67,), 0.1), ((3, 0), 0.1), ((4,), 0.0), ((4,), 1.0), ((), 0.25)))
    ], units=2, reason="1 / (1 - p) is rounded once more", bad=[
        Bad(["tensor<3xf32>", "tensor<2xi64>"],
            '"raf.dropout"(%0, %1) <{p = 1.5 : f64, id = 0 : i64}> : (tensor<3xf32>, tensor<2xi64>) -> tensor<3xf32>', "(C1)"),
        Bad(["tensor<3xf32>", "tensor<3xi64>"],
            '"raf.dropout"(%0, %1) <{p = 0.5 : f64, id = 0 : i64}> : (tensor<3xf32>, tensor<3xi64>) -> tensor<3xf32>', "(C2)")]),
]
