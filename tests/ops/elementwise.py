"""Unary, binary, comparison, selection, cast."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from ops.harness import Bad, Fixed, Record, Sample, integers, normal, uniform

NAN, INF = math.nan, math.inf
SPECIAL = np.array([NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-3, -20.0, 20.0])
INTEGERS = (np.int8, np.int16, np.int32, np.int64)
LIBRARY = "a library function, rounded once to the type from double: one unit covers the few that are not correctly rounded in double"


def unary(op, function, low=-3.0, high=3.0, ints=False, smooth=True, no_gradient="", units=0.6, reason=LIBRARY, **options):
    samples = [Sample([uniform(low, high, *shape)], smooth=smooth) for shape in ((7, 13), (1,), (), (3, 0, 2), (67,))]
    samples.append(Sample([SPECIAL], name="special", smooth=False))
    if ints:
        samples += [Sample([integers(-5, 6, 11, dtype=t)], name=t.__name__, smooth=False) for t in INTEGERS]
    return Record(op, function, samples, results=("in",), units=units, reason=reason, no_gradient=no_gradient,
                  gradient=() if no_gradient else None, **options)


COMPOSED = "each op of the formula is rounded: two units"


def binary(op, function, low=-3.0, high=3.0, ints=False, smooth=True, positive=False, no_gradient="", **options):
    first = 0.1 if positive else low
    samples = [Sample([uniform(first, high, *shape), uniform(low, high, *shape, seed=1)], smooth=smooth)
               for shape in ((5, 9), (1,), (), (0, 4), (67,))]
    grid = np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1)
    samples.append(Sample([grid[0], grid[1]], name="special", smooth=False))
    if ints:
        for t in INTEGERS:
            y = integers(-5, 6, 23, dtype=t, seed=1)
            y[y == 0] = 3
            samples.append(Sample([integers(-9, 10, 23, dtype=t), y], name=t.__name__, smooth=False))
        samples.append(Sample([integers(0, 9, 5, dtype=np.uint8), integers(1, 250, 5, dtype=np.uint8, seed=1)],
                              name="uint8", smooth=False))
    return Record(op, function, samples, results=("in",), units=0.6, reason=LIBRARY, no_gradient=no_gradient,
                  gradient=() if no_gradient else None, **options)


def logic(op, function, bitwise_not=False):
    values = [[integers(0, 2, 4, 7, seed=s).astype(bool), integers(-100, 100, 4, 7, dtype=np.int32, seed=s),
               integers(0, 256, 31, dtype=np.uint8, seed=s)] for s in range(1 if bitwise_not else 2)]
    return Record(op, function, [Sample(list(inputs), smooth=False) for inputs in zip(*values)], results=("in",),
                  dtypes=("f32",), gradient=(), no_gradient="not a function of floats")


def sign(x):
    return torch.where(torch.isnan(x), x, torch.sign(x)) if x.is_floating_point() else torch.sign(x)


COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def compare(x, y, kind):
    return getattr(torch, kind)(x, y)


def compare_record():
    grid = np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1)
    samples = []
    for number, kind in enumerate(COMPARISONS):
        attribute = f"kind = {number} : i32"
        samples += [
            Sample([grid[0], grid[1]], attribute, {"kind": kind}, kind),
            Sample([integers(-3, 4, 5, 7), integers(-3, 4, 5, 7, seed=1)], attribute, {"kind": kind}, kind + "-i64"),
            Sample([integers(0, 255, 9, dtype=np.uint8), integers(0, 255, 9, dtype=np.uint8, seed=1)], attribute,
                   {"kind": kind}, kind + "-u8"),
        ]
    return Record("compare", compare, samples, results=("i1",), gradient=(), no_gradient="gives booleans", bad=[
        Bad(["tensor<3xf32>", "tensor<4xf32>"],
            '"raf.compare"(%0, %1) <{kind = 0 : i32}> : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xi1>', "same type")])


def select(condition, x, y):
    return torch.where(condition, x, y)


def select_record():
    return Record("select", select, [
        Sample([integers(0, 2, 5, 7).astype(bool), normal(5, 7), normal(5, 7, seed=1)]),
        Sample([np.array(True), normal(), normal(seed=1)]),
        Sample([integers(0, 2, 0, 3).astype(bool), normal(0, 3), normal(0, 3)]),
        Sample([np.array([True, False]), np.array([NAN, 1.0]), np.array([2.0, NAN])], name="other side is NaN", smooth=False),
        Sample([integers(0, 2, 6).astype(bool), integers(-5, 5, 6, dtype=np.int16), integers(-5, 5, 6, dtype=np.int16, seed=1)],
               name="int16", smooth=False),
    ], results=("in1",), units=0, reason="moves elements", bad=[
        Bad(["tensor<3xi1>", "tensor<4xf32>"],
            '"raf.select"(%0, %1, %1) : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>', "(C1)"),
        Bad(["tensor<3xi1>", "tensor<3xf32>", "tensor<3xf64>"],
            '"raf.select"(%0, %1, %2) : (tensor<3xi1>, tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>', "(C2)")])


TORCH_TYPES = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16, "f16": torch.float16, "i1": torch.bool,
               "i8": torch.int8, "i32": torch.int32, "i64": torch.int64, "ui8": torch.uint8}


def cast(x, to):
    result = x.to(TORCH_TYPES[to])
    return result.double() if result.is_floating_point() else result


def cast_records():
    values = np.array([0.0, -0.0, 1.0, -1.0, 0.75, -0.75, 2.5, 100.0, 1 / 3, 1e-9])
    sources = [("float", values), ("i64", integers(-5, 6, 9)), ("i1", np.array([True, False])),
               ("u8", integers(0, 255, 9, dtype=np.uint8))]
    records = []
    for to in TORCH_TYPES:
        samples = [Sample([v], "", {"to": to}, f"{name} to {to}", smooth=False) for name, v in sources
                   if not (to == "ui8" and name == "float")]
        if to in ("f32", "f64", "bf16", "f16", "i1"):
            samples.append(Sample([SPECIAL], "", {"to": to}, f"special to {to}", smooth=False))
        else:
            samples.append(Sample([np.abs(values)], "", {"to": to}, f"positive to {to}", smooth=False))
        records.append(Record("cast", cast, samples, results=(to,), units=0,
                              reason="PyTorch rounds to nearest even and truncates as well"))
    records[0].bad = [Bad(["tensor<3xf32>"], '"raf.cast"(%0) : (tensor<3xf32>) -> tensor<4xf64>', "(C1)")]
    return records


def gelu_record():
    samples = []
    for attribute, mode in (("", "none"), ("tanh", "tanh")):
        samples += [Sample([uniform(-6, 6, *shape)], attribute, {"approximate": mode}, mode) for shape in ((7, 13), (1,), (0,), (67,))]
        samples.append(Sample([np.array([NAN, INF, 0.0, -0.0, 1.0, -1.0, 20.0])], attribute, {"approximate": mode}, mode + " special",
                              smooth=False))
    return Record("gelu", F.gelu, samples, units=4, cancels=True,
                  reason="in the negative tail 1 + erf cancels: the error is one of the function's scale")


RECORDS = [
    unary("neg", torch.neg, ints=True),
    unary("abs", torch.abs, ints=True),
    unary("sign", sign, ints=True),
    unary("exp", torch.exp),
    unary("expm1", torch.expm1),
    unary("log", torch.log, low=0.1),
    unary("log1p", torch.log1p, low=-0.9),
    unary("sqrt", torch.sqrt, low=0.1),
    unary("rsqrt", torch.rsqrt, low=0.1),
    unary("reciprocal", torch.reciprocal, low=0.1),
    unary("sin", torch.sin),
    unary("cos", torch.cos),
    unary("tan", torch.tan, low=-1.2, high=1.2),
    unary("tanh", torch.tanh),
    unary("erf", torch.erf),
    unary("sigmoid", torch.sigmoid),
    unary("floor", torch.floor),
    unary("ceil", torch.ceil),
    unary("round", torch.round),
    unary("trunc", torch.trunc),
    unary("relu", F.relu, ints=True),
    unary("silu", F.silu, units=2, reason=COMPOSED),
    unary("softplus", lambda x: F.softplus(x, threshold=1000), units=2, reason=COMPOSED),
    gelu_record(),
    logic("not", torch.bitwise_not, bitwise_not=True),
    binary("add", torch.add, ints=True),
    binary("sub", torch.sub, ints=True),
    binary("mul", torch.mul, ints=True),
    binary("div", lambda x, y: torch.div(x, y) if x.is_floating_point() else torch.div(x, y, rounding_mode="trunc"),
           low=0.2, ints=True),
    binary("pow", torch.pow, positive=True),
    binary("maximum", torch.maximum, ints=True),
    binary("minimum", torch.minimum, ints=True),
    binary("remainder", torch.remainder, low=0.7, ints=True),
    binary("atan2", torch.atan2),
    logic("and", torch.bitwise_and),
    logic("or", torch.bitwise_or),
    logic("xor", torch.bitwise_xor),
    compare_record(),
    Record("is_nan", torch.isnan, [Sample([SPECIAL]), Sample([normal(0, 2)])], results=("i1",), gradient=(), no_gradient="gives booleans"),
    Record("is_finite", torch.isfinite, [Sample([SPECIAL]), Sample([normal(2, 3)])], results=("i1",), gradient=(),
           no_gradient="gives booleans"),
    select_record(),
    *cast_records(),
]
RECORDS[RECORDS.index(next(r for r in RECORDS if r.op == "add"))].bad = [
    Bad(["tensor<3xf32>", "tensor<1xf32>"],
        '"raf.add"(%0, %1) : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>', "same type"),
    Bad(["tensor<3xi1>"], '"raf.add"(%0, %0) : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>', "must be"),
]
