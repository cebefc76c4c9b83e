"""The cover of a random program computes what the program computes: the reference interpreter evaluates both."""

import numpy as np
import pytest

from raf import tools

SHAPES = [(6, 8), (1, 8), (5, 7), (3, 1), (0, 4)]
UNARY = ["neg", "exp", "tanh", "sigmoid", "relu", "abs"]
BINARY = ["add", "sub", "mul", "maximum"]


def tensor(shape, dtype="f32"):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + dtype + ">"


class Program:
    """Grows a function op by op; every step takes values made before."""

    def __init__(self, seed, with_matmul):
        self.random = np.random.default_rng(seed)
        self.lines, self.values = [], []  # of (name, shape)
        rows, columns = SHAPES[seed % len(SHAPES)]
        self.arguments = [(f"%arg{i}", shape) for i, shape in enumerate([(rows, columns), (rows, columns), (columns,)])]
        self.values = list(self.arguments)
        steps = [self.unary, self.binary, self.binary, self.normalize, self.column_sum, self.move, self.mask, self.slice]
        if with_matmul:
            steps += [self.matmul, self.matmul]
        for _ in range(18):
            steps[self.random.integers(len(steps))]()

    def emit(self, text, shape):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        self.values.append((name, tuple(shape)))
        return self.values[-1]

    def pick(self, rank=None):
        values = [v for v in self.values if rank is None or len(v[1]) == rank]
        # Late values are likelier, so that programs get deep.
        index = len(values) - 1 - min(int(self.random.exponential(3)), len(values) - 1)
        return values[index]

    def unary(self):
        x, shape = self.pick()
        self.emit(f"raf.{self.random.choice(UNARY)} {x} : {tensor(shape)}", shape)

    def binary(self):
        x, shape = self.pick()
        same = [v for v, s in self.values if s == shape]
        y = same[self.random.integers(len(same))]
        self.emit(f"raf.{self.random.choice(BINARY)} {x}, {y} : {tensor(shape)}", shape)

    def broadcast(self, x, dims, shape, to):
        return self.emit(f"raf.broadcast {x} dims {dims} : {tensor(shape)} -> {tensor(to)}", to)[0]

    def normalize(self):
        x, shape = self.pick(2)
        kind = self.random.choice(["sum", "max"])
        total, _ = self.emit(f"raf.reduce_{kind} {x} dims [1] : {tensor(shape)} -> {tensor(shape[:1])}", shape[:1])
        wide = self.broadcast(total, [0], shape[:1], shape)
        self.emit(f"raf.sub {x}, {wide} : {tensor(shape)}", shape)

    def column_sum(self):
        x, shape = self.pick(2)
        total, _ = self.emit(f"raf.reduce_sum {x} dims [0] : {tensor(shape)} -> {tensor(shape[1:])}", shape[1:])
        if self.random.integers(2):
            self.broadcast(total, [1], shape[1:], shape)

    def move(self):
        x, shape = self.pick(2)
        turned = shape[::-1]
        name, _ = self.emit(
            f"raf.transpose {x} {{permutation = array<i64: 1, 0>}} : ({tensor(shape)}) -> {tensor(turned)}", turned)
        if self.random.integers(2):  # (a, b) -> (b, a) read row by row as (a, b): elements move
            self.emit(f"raf.reshape {name} : {tensor(turned)} -> {tensor(shape)}", shape)

    def mask(self):
        x, shape = self.pick(2)
        i, j, m = (f"%m{len(self.lines)}_{k}" for k in range(3))
        ints, bools = tensor(shape, "i32"), tensor(shape, "i1")
        self.lines += [f"  {i} = raf.iota {{dim = 0 : i64}} : {ints}", f"  {j} = raf.iota {{dim = 1 : i64}} : {ints}",
                       f"  {m} = raf.compare ge {i}, {j} : {ints} -> {bools}"]
        y, _ = self.emit(f"raf.neg {x} : {tensor(shape)}", shape)
        self.emit(f"raf.select {m}, {x}, {y} : ({bools}, {tensor(shape)}, {tensor(shape)}) -> {tensor(shape)}", shape)

    def slice(self):
        x, shape = self.pick(2)
        if shape[1] < 2:
            return
        to = (shape[0], shape[1] - 1)
        self.emit(f"raf.slice {x} {{starts = array<i64: 0, 1>, limits = array<i64: {shape[0]}, {shape[1]}>, "
                  f"strides = array<i64: 1, 1>}} : ({tensor(shape)}) -> {tensor(to)}", to)

    def matmul(self):
        x, shape = self.pick(2)
        result = (shape[0], shape[0])
        y, _ = self.emit(f"raf.matmul {x}, {x} {{transpose_b}} : ({tensor(shape)}, {tensor(shape)}) -> {tensor(result)}", result)
        if self.random.integers(2):
            z, _ = self.emit(f"raf.matmul {x}, {x} {{transpose_b}} : ({tensor(shape)}, {tensor(shape)}) -> {tensor(result)}", result)
            self.emit(f"raf.add {y}, {z} : {tensor(result)}", result)

    def module(self):
        # Some values that nobody reads, and some that others read too.
        read = " ".join(line.split("=", 1)[1] for line in self.lines)
        results = [v for v in self.values[3:] if v[0] + " " not in read + " " and v[0] + "," not in read]
        results += [v for v in self.values[3:] if self.random.integers(6) == 0 and v not in results]
        types = ", ".join(tensor(shape) for _, shape in results)
        arguments = ", ".join(f"{name}: {tensor(shape)}" for name, shape in self.arguments)
        body = "\n".join(self.lines)
        return f"func.func @forward({arguments}) -> ({types}) {{\n{body}\n  return {', '.join(n for n, _ in results)} : {types}\n}}"

    def inputs(self):
        return [self.random.standard_normal(shape) for _, shape in self.arguments]


@pytest.mark.parametrize("seed", range(60))
def test_groups_compute_the_same_bits(seed):
    """Grouping, copies of ops and views between kernels change no bit."""
    program = Program(seed, with_matmul=False)
    module, inputs = program.module(), program.inputs()
    covered = tools.transform(module, "func.func(raf-cover,raf-verify-covered)")
    with np.errstate(all="ignore"):
        for want, got in zip(tools.evaluate(module, inputs), tools.evaluate(covered, inputs), strict=True):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dialects", ["", "gen"])
@pytest.mark.parametrize("seed", range(30))
def test_kernels_compute_the_same(seed, dialects):
    """Products by either dialect, with what their kernels take over; 1e-12: only the order of sums in float64 differs."""
    program = Program(seed, with_matmul=True)
    module, inputs = program.module(), [x * 0.1 for x in program.inputs()]
    covered = tools.transform(module, f"func.func(raf-cover{{dialects={dialects}}},raf-verify-covered)")
    assert ("onednn.matmul" in covered) == (dialects == "" and "raf.matmul" in module and live_matmul(module))
    with np.errstate(all="ignore"):
        before = tools.evaluate(module, inputs, float64=True)
        after = tools.evaluate(covered, inputs, float64=True)
    for want, got in zip(before, after, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)


def live_matmul(module):
    """Whether a product is needed for a result."""
    return "raf.matmul" in tools.transform(module, "cse,canonicalize")
