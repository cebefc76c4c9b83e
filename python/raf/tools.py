"""The compiler for tests: IR as text, NumPy arrays in and out.

bf16 has no NumPy type: arguments of that type are given as any float array (rounded to nearest even) and results come as float32.
"""

import numpy as np

from raf import _tools
from raf.errors import Error, ShapeError, UnsupportedError, UsageError

__all__ = ["Error", "ShapeError", "UnsupportedError", "UsageError", "evaluate", "registered_ops", "signature", "transform"]

NUMPY = {
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "i1": np.bool_, "i8": np.int8,
    "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8,
}

transform = _tools.transform
signature = _tools.signature
registered_ops = _tools.registered_ops


def to_bf16(array):
    """The bits of `array` rounded to bfloat16, to nearest even."""
    bits = np.asarray(array, np.float32, order="C").view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(array), np.uint16(0x7FC0), rounded)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def encode(array, dtype):
    array = np.asarray(array)
    shape = list(array.shape)
    array = to_bf16(array) if dtype == "bf16" else array.astype(NUMPY[dtype])
    return dtype, shape, np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def decode(dtype, shape, data):
    if dtype == "bf16":
        return from_bf16(np.frombuffer(data, np.uint16)).reshape(shape)
    return np.frombuffer(data, NUMPY[dtype]).reshape(shape).copy()


def evaluate(module, arguments, function="forward", float64=False, dtypes=None):
    """Results of a function of the module (IR as text), by the reference interpreter.

    float64 computes all float types in double; else every op is rounded to its type once. `dtypes` names the arguments' types;
    without it they are read from the module.
    """
    if dtypes is None:
        dtypes = [dtype for dtype, _ in _tools.signature(module, function)[0]]
    if len(dtypes) != len(arguments):
        raise ShapeError(f"{function}: expected {len(dtypes)} arguments, but got {len(arguments)}")
    encoded = [encode(array, dtype) for array, dtype in zip(arguments, dtypes)]
    return [decode(*result) for result in _tools.evaluate(module, function, encoded, float64)]
