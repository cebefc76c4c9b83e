"""Generated kernels under the clock: elementwise groups against the speed of a copy, row kernels against PyTorch's.

Each case is a small model. `forward` cases are one fused group; their bytes (each operand and result once) over their time
are compared with a copy of as many bytes. `gradient` cases are forward and backward together, compared with PyTorch eager
on the same tensors. RAF and PyTorch take turns, with a pause between them for idle threads to fall asleep.

    benchmarks/kernels.py [--threads 2] [--repeat 30] [--only softmax]
"""

import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time
from typing import Callable

import numpy as np
import torch
from torch.nn import functional as F

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "build" / "python"))
PAUSE = 0.02


@dataclasses.dataclass
class Case:
    """`body` computes %y from the arguments; in a gradient case the loss is sum(y * w)."""

    name: str
    arguments: dict  # name -> shape; in a gradient case all but w are parameters
    body: str
    shape: tuple  # of %y
    torch: Callable
    gradient: bool = False

    def module(self):
        tensor = lambda shape: f"tensor<{''.join(f'{extent}x' for extent in shape)}f32>"
        kind = lambda name: "param" if self.gradient and name != "w" else "input"
        arguments = ", ".join(f'%{name}: {tensor(shape)} {{raf.name = "{name}", raf.kind = "{kind(name)}"}}'
                              for name, shape in self.arguments.items())
        y = tensor(self.shape)
        result, tail = f'{y} {{raf.name = "y"}}', f"return %y : {y}"
        if self.gradient:
            result = 'tensor<f32> {raf.name = "loss"}'
            tail = (f"%p = raf.mul %y, %w : {y}\n  %loss = raf.reduce_sum %p dims [0, 1] : {y} -> tensor<f32>\n"
                    "  return %loss : tensor<f32>")
        return f"func.func @forward({arguments}) -> ({result}) {{\n  {self.body.format(y=y)}\n  {tail}\n}}\n"

    def bytes(self):
        return 4 * (sum(int(np.prod(shape)) for shape in self.arguments.values()) + int(np.prod(self.shape)))


def biased(rows, columns):
    return f"%b2 = raf.broadcast %b dims [1] : tensor<{columns}xf32> -> tensor<{rows}x{columns}xf32>\n  %s = raf.add %x, %b2 : {{y}}\n  "


def elementwise(rows, columns):
    full = (rows, columns)
    return [
        Case("x + y", {"x": full, "z": full}, "%y = raf.add %x, %z : {y}", full, lambda x, z: x + z),
        Case("gelu(x + bias), erf", {"x": full, "b": (columns,)}, biased(rows, columns) + "%y = raf.gelu %s : {y}", full,
             lambda x, b: F.gelu(x + b)),
        Case("gelu(x + bias), tanh", {"x": full, "b": (columns,)}, biased(rows, columns) + "%y = raf.gelu %s tanh : {y}",
             full, lambda x, b: F.gelu(x + b, approximate="tanh")),
        Case("silu(x) * z", {"x": full, "z": full}, "%s = raf.silu %x : {y}\n  %y = raf.mul %s, %z : {y}", full,
             lambda x, z: F.silu(x) * z),
    ]


def rows_of(rows, columns):
    full, one = (rows, columns), (columns,)
    norm = ('%y, %mean, %rstd = "raf.layer_norm"(%x, %g, %b) {{axes = 1 : i64, eps = 1.0e-5 : f64, operandSegmentSizes = '
            f"array<i32: 1, 1, 1>}}}} : ({{y}}, tensor<{columns}xf32>, tensor<{columns}xf32>) -> ({{y}}, "
            f"tensor<{rows}xf32>, tensor<{rows}xf32>)")
    return [
        Case(f"softmax, rows of {columns}", {"x": full, "w": full}, "%y = raf.softmax %x {{dim = 1 : i64}} : {y}", full,
             lambda x: torch.softmax(x, 1), gradient=True),
        Case(f"layer_norm, rows of {columns}", {"x": full, "g": one, "b": one, "w": full}, norm, full,
             lambda x, g, b: F.layer_norm(x, (columns,), g, b), gradient=True),
    ]


def raf_call(case, tensors, threads):
    """A function without arguments that runs the case once, and one that gives its results."""
    from raf import session

    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(case.module())
        file.flush()
        function = "value_and_grad" if case.gradient else "forward"
        program = session.compile(file.name, functions=[function], threads=threads)
    inputs = tensors
    if case.gradient:
        program.load({name: array for name, array in tensors.items() if name != "w"})
        inputs = {"w": tensors["w"]}
    return program.prepare(function, **inputs)


def torch_call(case, tensors):
    arguments = {name: torch.from_numpy(array) for name, array in tensors.items() if name != "w" or not case.gradient}
    if not case.gradient:
        return lambda: case.torch(*arguments.values()), lambda out: {"y": out.numpy()}
    weight = torch.from_numpy(tensors["w"])
    leaves = {name: t.requires_grad_() for name, t in arguments.items()}

    def call():
        for leaf in leaves.values():
            leaf.grad = None
        loss = (case.torch(*leaves.values()) * weight).sum()
        loss.backward()
        return loss

    return call, lambda loss: {"loss": loss.detach().numpy(), **{f"grad/{name}": t.grad.numpy() for name, t in leaves.items()}}


def timed(call):
    begun = time.perf_counter()
    call()
    seconds = time.perf_counter() - begun
    time.sleep(PAUSE)
    return seconds


def measure(case, threads, repeat):
    generator = np.random.default_rng(0)
    tensors = {name: generator.standard_normal(shape, dtype=np.float32) for name, shape in case.arguments.items()}
    ours, our_results = raf_call(case, tensors, threads)
    theirs, their_results = torch_call(case, tensors)
    source = torch.zeros(case.bytes() // 8)
    target = torch.empty_like(source)
    calls = {"raf": ours, "torch": theirs, "copy": lambda: target.copy_(source)}
    for call in calls.values():
        call()
    ours()
    got, want = our_results(), their_results(theirs())
    for name, exact in want.items():
        if not np.allclose(got[name], exact, rtol=1e-3, atol=1e-3 * np.abs(exact).max()):
            raise SystemExit(f"kernels: {case.name}: {name} differs from PyTorch's")
    seconds = {name: [] for name in calls}
    for _ in range(repeat):
        for name, call in calls.items():
            seconds[name].append(timed(call))
    median = {name: statistics.median(values) for name, values in seconds.items()}
    return {"case": case.name, "shape": list(case.shape), "raf_seconds": median["raf"], "torch_seconds": median["torch"],
            "copy_seconds": median["copy"], "gbytes_per_second": case.bytes() / median["raf"] * 1e-9,
            "of_copy": median["copy"] / median["raf"], "against_torch": median["torch"] / median["raf"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="default: cores")
    parser.add_argument("--repeat", type=int, default=30, help="timed calls of each case (default 30)")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--json", action="store_true", help="a JSON line per case instead of a table")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    cases = elementwise(1024, 3072) + rows_of(4096, 256) + rows_of(1024, 768) + rows_of(1024, 50257)
    if not args.json:
        print(f"{'':32} {'raf ms':>8} {'GB/s':>6} {'of copy':>8} {'torch ms':>9} {'ratio':>6}")
    for case in cases:
        if args.only not in case.name:
            continue
        row = measure(case, args.threads, args.repeat)
        if args.json:
            print(json.dumps(row), flush=True)
        else:
            share = "" if case.gradient else f"{row['of_copy']:.2f}"
            speed = "" if case.gradient else f"{row['gbytes_per_second']:.1f}"
            print(f"{row['case']:32} {1e3 * row['raf_seconds']:8.3f} {speed:>6} {share:>8} {1e3 * row['torch_seconds']:9.3f} "
                  f"{row['against_torch']:6.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
