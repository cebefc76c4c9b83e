"""One record per op drives every test of it: sample inputs, a PyTorch reference, gradients, bad inputs, tolerances.

A record says what the op is given and what PyTorch makes of it in float64. Float inputs are kept in float64 and take the type
a test runs in; integers and `fixed` inputs keep theirs.
"""

import dataclasses
import functools
import zlib
from typing import Callable, Optional

import numpy as np
import torch

from raf import tools

FLOATS = ("f64", "f32", "bf16", "f16")
EPS = {"f64": 2.0**-52, "f32": 2.0**-23, "bf16": 2.0**-7, "f16": 2.0**-10}
# Smallest normal number: below it results lose relative precision.
SMALLEST = {"f64": 2.0**-1022, "f32": 2.0**-126, "bf16": 2.0**-126, "f16": 2.0**-14}
INTS = {"bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "ui8"}


@dataclasses.dataclass
class Fixed:
    """A float input whose type does not follow the test's; dtype "stat": the statistics type (float32 or wider)."""

    array: np.ndarray
    dtype: str


@dataclasses.dataclass
class Sample:
    inputs: list
    attributes: str = ""
    # Keyword arguments of the record's PyTorch function.
    options: dict = dataclasses.field(default_factory=dict)
    name: str = ""
    # Derivatives are not compared here: at ties, kinks, NaN and infinities there is none or PyTorch's is a convention.
    smooth: bool = True


@dataclasses.dataclass
class Bad:
    """Text of one op statement (operands %0, %1 ... of the given types) and a part of its message."""

    types: list
    statement: str
    message: str


@dataclasses.dataclass
class Record:
    op: str
    torch: Callable
    samples: list
    # Type of each result: "x" the test's float type, "stat" its statistics type (f32, or f64), "in", "in1" that of an input, or
    # fixed.
    results: tuple = ("x",)
    # Which inputs have gradients: those that are floats, unless given; none: () with why not.
    gradient: Optional[tuple] = None
    no_gradient: str = ""
    dtypes: tuple = FLOATS
    # Allowed error in units of the result type's epsilon, relative to each element, and the reason when it is not one rounding.
    units: float = 0.51
    # The error is relative to the rms of the result too: sums cancel.
    cancels: bool = False
    reason: str = ""
    bad: list = dataclasses.field(default_factory=list)


def rng(*key):
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def normal(*shape, seed=0, scale=1.0, shift=0.0):
    return np.array(rng(shape, seed).standard_normal(shape) * scale + shift)


def uniform(low, high, *shape, seed=0):
    return np.array(rng(shape, seed, low).uniform(low, high, shape))


def integers(low, high, *shape, dtype=np.int64, seed=0):
    return np.array(rng(shape, seed, low).integers(low, high, shape), dtype)


def scalar(value, dtype="f32"):
    return Fixed(np.float64(value), dtype)


def array_attribute(values):
    values = list(values)
    return "array<i64>" if not values else "array<i64: " + ", ".join(map(str, values)) + ">"


def f64(value):
    """A float attribute; MLIR wants a point in the mantissa."""
    text = repr(float(value))
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e")
    return f"{text} : f64"


def tensor_type(shape, dtype):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + dtype + ">"


def statistics_dtype(dtype):
    return "f64" if dtype == "f64" else "f32"


def input_dtype(value, dtype):
    if value is None:
        return None
    if isinstance(value, Fixed):
        return statistics_dtype(dtype) if value.dtype == "stat" else value.dtype
    return dtype if value.dtype == np.float64 else INTS[value.dtype.name]


def input_array(value, dtype):
    """The array as the program gets it: rounded to its type, in float64 (integers as they are)."""
    if isinstance(value, Fixed):
        value, dtype = value.array, input_dtype(value, dtype)
    if value.dtype != np.float64:
        return value
    return round_to(value, dtype)


def round_to(array, dtype):
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype == "bf16":
            return tools.from_bf16(tools.to_bf16(array)).astype(np.float64)
        return np.asarray(array).astype(tools.NUMPY[dtype]).astype(np.float64)


def result_dtype(spec, sample, dtype):
    if spec == "x":
        return dtype
    if spec == "stat":
        return statistics_dtype(dtype)
    if spec in ("in", "in1"):
        return input_dtype(sample.inputs[int(spec[2:] or 0)], dtype)
    return spec


def as_tuple(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


@dataclasses.dataclass
class Program:
    """A sample of an op in one float type."""

    record: Record
    sample: Sample
    dtype: str

    @functools.cached_property
    def inputs(self):
        return [input_array(v, self.dtype) for v in self.sample.inputs if v is not None]

    @functools.cached_property
    def input_types(self):
        return [tensor_type(np.shape(input_array(v, self.dtype)), input_dtype(v, self.dtype))
                for v in self.sample.inputs if v is not None]

    @functools.cached_property
    def input_dtypes(self):
        return [input_dtype(v, self.dtype).replace("ui8", "u8") for v in self.sample.inputs if v is not None]

    def expected(self):
        """PyTorch's results in float64 (integers in their own type)."""
        tensors = iter([torch.tensor(np.asarray(a)) for a in self.inputs])
        tensors = [None if v is None else next(tensors) for v in self.sample.inputs]
        return [t.detach().numpy() for t in as_tuple(self.record.torch(*tensors, **self.sample.options))]

    @functools.cached_property
    def result_types(self):
        return [tensor_type(np.shape(a), result_dtype(spec, self.sample, self.dtype))
                for a, spec in zip(self.expected(), self.record.results, strict=True)]

    @functools.cached_property
    def result_dtypes(self):
        return [result_dtype(spec, self.sample, self.dtype) for spec in self.record.results]

    def statement(self):
        attributes = f" <{{{self.sample.attributes}}}>" if self.sample.attributes else ""
        operands = ", ".join(f"%{i}" for i in range(len(self.inputs)))
        count = f":{len(self.result_types)}" if len(self.result_types) > 1 else ""
        return (f'%r{count} = "raf.{self.record.op}"({operands}){attributes} : '
                f"({', '.join(self.input_types)}) -> ({', '.join(self.result_types)})")

    def result_names(self):
        return [f"%r#{i}" for i in range(len(self.result_types))] if len(self.result_types) > 1 else ["%r"]

    def module(self):
        """A forward model of the op alone: inputs x0, x1 ..., results y0, y1 ..."""
        arguments = ", ".join(
            f'%{i}: {t} {{raf.name = "x{i}", raf.kind = "{"key" if t == "tensor<2xi64>" else "input"}"}}'
            for i, t in enumerate(self.input_types))
        results = ", ".join(f'{t} {{raf.name = "y{i}"}}' for i, t in enumerate(self.result_types))
        return (f"func.func @forward({arguments}) -> ({results}) {{\n"
                f"  {self.statement()}\n"
                f"  return {', '.join(self.result_names())} : {', '.join(self.result_types)}\n}}\n")

    def tolerance(self, want, dtype, factor=1.0):
        """Allowed absolute error per element of a result."""
        units = self.record.units * factor
        if dtype == "f64" and units:
            units = max(units, 8.0)  # PyTorch's own float64 functions are a few units off
        magnitude = np.where(np.isfinite(want), np.abs(want), 0.0)
        if self.record.cancels and want.size:
            magnitude = magnitude + np.sqrt(np.mean(magnitude**2))
        return units * EPS[dtype] * np.maximum(magnitude, SMALLEST[dtype])


def assert_close(got, want, tolerance, what):
    """Equal NaNs and infinities, and finite elements within the tolerance."""
    assert got.shape == want.shape, f"{what}: expected shape {want.shape}, but got {got.shape}"
    if want.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want, err_msg=what)
        return
    got, want = got.astype(np.float64), want.astype(np.float64)
    special = ~np.isfinite(want)
    np.testing.assert_array_equal(np.where(special, got, 0), np.where(special, want, 0), err_msg=what)
    with np.errstate(invalid="ignore"):
        error = np.where(special, 0, np.abs(got - want))
    worst = np.argmax(np.where(np.isnan(error), np.inf, error - tolerance)) if error.size else 0
    assert not error.size or np.all(error <= tolerance), (
        f"{what}: expected {want.flat[worst]!r} within {np.broadcast_to(tolerance, want.shape).flat[worst]:.3g}, "
        f"but got {got.flat[worst]!r} at {np.unravel_index(worst, want.shape)}")


@functools.cache
def records():
    from ops import (attention, contraction, elementwise, indexing, loss, normalization, optimizer, random_ops,
                     reduce, shape)

    families = (elementwise, shape, indexing, reduce, contraction, normalization, attention, random_ops, loss, optimizer)
    return [record for family in families for record in family.RECORDS]


def programs(dtypes=None):
    """(id, Program) of every sample of every op in the types it takes."""
    result = []
    for record in records():
        for i, sample in enumerate(record.samples):
            for dtype in record.dtypes:
                # The 16-bit types differ from float32 in rounding only: a few samples show it.
                if dtype in ("bf16", "f16") and i % 4 and "special" not in sample.name:
                    continue
                if dtypes is None or dtype in dtypes:
                    name = sample.name or "x".join(map(str, np.shape(input_array(sample.inputs[0], dtype)))) or "scalar"
                    result.append((f"{record.op}-{i}-{name}-{dtype}".replace(" ", "_"), Program(record, sample, dtype)))
    return result
