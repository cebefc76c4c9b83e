"""Compile a model and run its functions with NumPy arrays.

    program = compile("gpt2:layers=2,width=64,heads=2,vocab=256,context=32", functions=["value_and_grad"])
    program.state["wte.weight"][:] = weights
    results = program.run("value_and_grad", tokens=tokens, labels=labels)   # {"loss": ..., "grad/wte.weight": ...}

bfloat16 has no NumPy type: such tensors are uint16 arrays of their bits.
"""

import numpy as np

from raf import _session
from raf.errors import Error, InvalidFileError, OutOfMemoryError, ShapeError, UnsupportedError, UsageError

__all__ = ["Error", "InvalidFileError", "OutOfMemoryError", "Program", "ShapeError", "UnsupportedError", "UsageError",
           "compile", "print_model"]

NUMPY = {"f32": np.float32, "f64": np.float64, "bf16": np.uint16, "f16": np.float16, "i1": np.bool_, "i8": np.int8,
         "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8}

print_model = _session.print_model


def decode(dtype, shape, data):
    return np.frombuffer(data, NUMPY[dtype]).reshape(shape)


class Program:
    """A loaded executable: `state` holds its parameters, buffers and optimizer state, writable in place."""

    def __init__(self, executable, *, threads=0, deterministic=False, check_numerics=False):
        self._session = _session.load(executable, threads, deterministic, check_numerics)
        self.functions = self._session.functions()
        self.state, self.kinds = {}, {}
        for name, (dtype, shape, memory, kind) in self._session.state().items():
            self.state[name] = memory.view(NUMPY[dtype]).reshape(shape)
            self.kinds[name] = ("param", "buffer", "opt")[kind]

    @property
    def parameters(self):
        """{name: array} of the parameters alone."""
        return {name: array for name, array in self.state.items() if self.kinds[name] == "param"}

    def load(self, weights):
        """Copies weights, by name, into the parameters; every parameter must be given, and nothing else."""
        wanted = self.parameters
        if wanted.keys() != weights.keys():
            raise ShapeError(f"weights: expected {sorted(wanted)}, but got {sorted(weights)}")
        for name, array in wanted.items():
            source = np.asarray(weights[name])
            if source.shape != array.shape:
                raise ShapeError(f"weights: expected {name} of shape {array.shape}, but got {source.shape}")
            array[...] = source

    def prepare(self, function, **inputs):
        """Two functions without arguments: one runs `function` on these inputs, the other gives the results by name.

        `lr` is a number and `key` a pair (seed, step) where the function takes them. Arrays of the right dtype are not
        copied, so writing to one changes the next run's input.
        """
        signature = self._session.inputs(function)
        names = [name for name, _, _ in signature]
        if set(names) != inputs.keys():
            raise ShapeError(f"{function}: expected inputs {names}, but got {sorted(inputs)}")
        arguments = []
        for name, dtype, _ in signature:
            array = np.ascontiguousarray(inputs[name], NUMPY[dtype])
            arguments.append((dtype, list(np.shape(inputs[name])), array.reshape(-1).view(np.uint8)))
        results = lambda: {name: decode(*result) for name, result in self._session.outputs(function).items()}
        return lambda: self._session.run(function, arguments), results

    def run(self, function, **inputs):
        """Runs a function once; its results by name, as copies."""
        call, results = self.prepare(function, **inputs)
        call()
        return results()

    @property
    def planned_peak_bytes(self):
        return self._session.planned_peak_bytes()


def compile(model, *, functions=("train_step",), optimizer="adamw", hyper=None, clip_grad_norm=0.0, outputs=False, dialects="",
            cpu="native", threads=0, deterministic=False, check_numerics=False, cache=""):
    """A `Program` of the model: a zoo name with options, or a path. `threads` 0: one per core."""
    executable = _session.compile(model, list(functions), optimizer, hyper or {}, clip_grad_norm, outputs, dialects, cpu,
                                  threads or 2, deterministic, cache)
    return Program(executable, threads=threads, deterministic=deterministic, check_numerics=check_numerics)
