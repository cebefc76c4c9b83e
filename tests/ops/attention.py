"""Attention and its gradient, with masks, grouped heads and dropout."""

import math

import numpy as np
import torch

from ops import random_ops
from ops.harness import Bad, Fixed, Record, Sample, integers, normal

INF = math.inf
KEY = np.array([12345, 6])


def attention(q, k, v, mask=None, key=None, scale=1.0, causal=False, dropout=0.0, id=0):
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    s = q @ k.mT * scale
    if mask is not None:
        s = s.masked_fill(~mask, -INF) if mask.dtype == torch.bool else s + mask
    if causal:
        s = s.masked_fill(~torch.ones(s.shape[-2:], dtype=torch.bool).tril(), -INF)
    lse = torch.logsumexp(s, -1)
    blind = torch.isneginf(lse).unsqueeze(-1)
    # A row that sees no key gives 0; filled first, so that its gradient is 0 too.
    p = torch.where(blind, 0.0, torch.softmax(s.masked_fill(blind, 0.0), -1))
    if dropout:
        kept = random_ops.uniform(key, tuple(p.shape), id) >= np.float32(dropout)
        p = torch.where(kept, p / (1 - dropout), 0.0)
    return p @ v, lse


def attention_grad(q, k, v, out, lse, grad, mask=None, key=None, **options):
    q, k, v = (t.clone().requires_grad_() for t in (q, k, v))
    result, _ = attention(q, k, v, mask, key, **options)
    return torch.autograd.grad(result, (q, k, v), grad, allow_unused=True, materialize_grads=True)


def attributes(count, mask, key, scale=1.0, causal=False, dropout=0.0, id=0):
    parts = [f"scale = {scale} : f64", f"dropout = {dropout} : f64", f"id = {id} : i64"] + (["causal"] if causal else [])
    sizes = [1] * count + [int(mask is not None), int(key is not None)]
    return ", ".join(parts) + ", operandSegmentSizes = array<i32: " + ", ".join(map(str, sizes)) + ">"


def configurations():
    def one(name, b=2, hq=2, hk=2, tq=5, tk=7, d=4, dv=4, mask=None, **options):
        key = KEY if options.get("dropout") else None
        return name, [normal(b, hq, tq, d), normal(b, hk, tk, d, seed=1), normal(b, hk, tk, dv, seed=2)], mask, key, {"scale": 0.5, **options}

    full = integers(0, 2, 2, 2, 5, 7).astype(bool)
    blind = full.copy()
    blind[0, 0, 1] = False
    added = np.where(integers(0, 2, 1, 1, 5, 7).astype(bool), 0.0, -INF)
    added[..., 0] = 0.25
    return [
        one("plain"),
        one("causal", causal=True, tk=5),
        one("causal longer keys", causal=True),
        one("causal shorter keys", causal=True, tk=3),
        one("grouped heads", hq=6, hk=2),
        one("one key head", hq=3, hk=1, causal=True, tk=5),
        one("other value size", dv=3),
        one("single", b=1, hq=1, hk=1, tq=1, tk=1, d=1, dv=1),
        one("boolean mask", mask=blind),
        one("key padding mask", mask=np.array([[True] * 4 + [False] * 3, [True] * 7]).reshape(2, 1, 1, 7)),
        one("float mask", mask=added),
        one("dropout", dropout=0.25, id=3),
        one("everything", hq=4, mask=full[:, :1], causal=True, dropout=0.1, id=9),
        one("no keys", tk=0),
        one("no queries", tq=0),
        one("long", b=1, hq=1, hk=1, tq=67, tk=67, d=8, dv=8, causal=True),
    ]


def forward_samples():
    return [Sample([*inputs, mask, key], attributes(3, mask, key, **options), options, name)
            for name, inputs, mask, key, options in configurations()]


def grad_samples():
    result = []
    for name, inputs, mask, key, options in configurations():
        tensors = [torch.tensor(a) for a in inputs]
        out, lse = attention(*tensors, None if mask is None else torch.tensor(mask), None if key is None else torch.tensor(key), **options)
        grad = normal(*out.shape, seed=5)
        result.append(Sample([*inputs, out.numpy(), Fixed(lse.numpy(), "stat"), grad, mask, key], attributes(6, mask, key, **options), options, name))
    return result


def bad(q, k, v, label, extra="", more=(), element="f32", sizes="1, 1, 1, 0, 0"):
    types = [f"tensor<{q}xf32>", f"tensor<{k}xf32>", f"tensor<{v}x{element}>", *more]
    b, h, t, _ = q.split("x") if q.count("x") == 3 else (1, 1, 1, 1)
    operands = ", ".join(f"%{i}" for i in range(len(types)))
    return Bad(types, f'%r:2 = "raf.attention"({operands}) <{{scale = 1.0 : f64{extra}, operandSegmentSizes = array<i32: {sizes}>}}> : '
               f"({', '.join(types)}) -> (tensor<{q}xf32>, tensor<{b}x{h}x{t}xf32>)", label)


RECORDS = [
    Record("attention", attention, forward_samples(), results=("x", "stat"), units=4, cancels=True,
           reason="computed in double by the reference and rounded once; compiled with float32 accumulators", bad=[
        bad("1x2x3x4", "1x2x5x4", "1x2x6x4", "(C1)"), bad("1x3x3x4", "1x2x5x4", "1x2x5x4", "(C2)"),
        bad("1x2x3x4", "1x2x5x4", "1x2x5x4", "(C3)", more=["tensor<1x1x4x5xi1>"], sizes="1, 1, 1, 1, 0"),
        bad("1x2x3x4", "1x2x5x4", "1x2x5x4", "(C5)", extra=", dropout = 0.5 : f64")]),
    Record("attention_grad", attention_grad, grad_samples(), results=("x", "x", "x"), units=16, cancels=True, gradient=(),
           no_gradient="second derivatives go through the decomposition of attention",
           reason="sums of products of rounded probabilities; in 16 bits `out` and `logsumexp` come rounded", bad=[
        Bad(["tensor<1x2x3x4xf32>"] * 4 + ["tensor<1x2x3xf32>", "tensor<1x2x3x4xf32>"],
            '%r:3 = "raf.attention_grad"(%0, %1, %2, %3, %4, %5) <{scale = 1.0 : f64, dropout = 0.5 : f64, '
            'operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0>}> : (' + ", ".join(["tensor<1x2x3x4xf32>"] * 4) +
            ", tensor<1x2x3xf32>, tensor<1x2x3x4xf32>) -> (" + ", ".join(["tensor<1x2x3x4xf32>"] * 3) + ")", "(C5)"),
        Bad(["tensor<1x2x3x4xf32>"] * 4 + ["tensor<1x2x4xf32>", "tensor<1x2x3x4xf32>"],
            '%r:3 = "raf.attention_grad"(%0, %1, %2, %3, %4, %5) <{scale = 1.0 : f64, '
            'operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0>}> : (' + ", ".join(["tensor<1x2x3x4xf32>"] * 4) +
            ", tensor<1x2x4xf32>, tensor<1x2x3x4xf32>) -> (" + ", ".join(["tensor<1x2x3x4xf32>"] * 3) + ")", "(C6)")]),
]
