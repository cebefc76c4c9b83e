"""Programs that weigh an op's results, for the gradients of the weighted sum, and the gradients of those."""

import re

import numpy as np
import torch

from ops.harness import as_tuple, input_dtype, normal, round_to, statistics_dtype, tensor_type
from raf import tools

NAMED = '{{raf.name = "{}", raf.kind = "input"}}'


def float_inputs(program):
    """Numbers of the inputs with gradients."""
    given = [v for v in program.sample.inputs if v is not None]
    floats = [i for i, v in enumerate(given) if input_dtype(v, program.dtype) in ("f64", "f32", "bf16", "f16")]
    return floats if program.record.gradient is None else list(program.record.gradient)


def float_results(program):
    return [i for i, dtype in enumerate(program.result_dtypes) if dtype in ("f64", "f32", "bf16", "f16")]


def weights(program, seed):
    """One weight per element of each float result."""
    return [round_to(normal(*np.shape(program.expected()[i]), seed=seed + i), program.result_dtypes[i])
            for i in float_results(program)]


def weighted_sum(pairs, shapes, dtype):
    """Lines that add up values times weights, (name, weight name, type) each, to %loss in float32 or wider."""
    wide = statistics_dtype(dtype)
    lines, total = [], None
    for i, (value, weight, type_) in enumerate(pairs):
        shape = shapes[i]
        dims = "[" + ", ".join(map(str, range(len(shape)))) + "]"
        wide_type = tensor_type(shape, wide)
        lines += [f"%v{i} = raf.cast {value} : {type_} -> {wide_type}", f"%k{i} = raf.cast {weight} : {type_} -> {wide_type}",
                  f"%p{i} = raf.mul %v{i}, %k{i} : {wide_type}"]
        part = f"%p{i}"
        if shape:
            lines.append(f"%s{i} = raf.reduce_sum %p{i} dims {dims} : {wide_type} -> tensor<{wide}>")
            part = f"%s{i}"
        if total is None:
            total = part
        else:
            lines.append(f"%t{i} = raf.add {total}, {part} : tensor<{wide}>")
            total = f"%t{i}"
    return lines, total, f"tensor<{wide}>"


def first_order(program):
    """A function @value_and_grad of the op's inputs and of weights."""
    results = float_results(program)
    arguments = [f"%{i}: {t} {NAMED.format(f'x{i}')}" for i, t in enumerate(program.input_types)]
    arguments += [f"%w{i}: {program.result_types[i]} {NAMED.format(f'w{i}')}" for i in results]
    names = program.result_names()
    pairs = [(names[i], f"%w{i}", program.result_types[i]) for i in results]
    lines, loss, loss_type = weighted_sum(pairs, [np.shape(program.expected()[i]) for i in results], program.dtype)
    module = (f"func.func @forward({', '.join(arguments)}) -> ({loss_type} {{raf.name = \"loss\"}}) {{\n  {program.statement()}\n  "
              + "\n  ".join(lines) + f"\n  return {loss} : {loss_type}\n}}\n")
    inputs = ",".join(f"x{i}" for i in float_inputs(program))
    return tools.transform(module, f"raf-differentiate{{inputs={inputs}}}")


def second_order(program):
    """The gradients of @first_order's gradients, weighted and summed, by its float inputs and its weights."""
    function = re.search(r"func\.func @value_and_grad\((.*)\) -> \((.*)\) \{\n(.*)    return (.*) : .*\n  \}", first_order(program), re.DOTALL)
    arguments, _, body, returned = function.groups()
    inputs = float_inputs(program)
    shapes = [np.shape(program.inputs[i]) for i in inputs]
    types = [program.input_types[i] for i in inputs]
    arguments += "".join(f", %u{i}: {t} {NAMED.format(f'u{i}')}" for i, t in zip(inputs, types))
    gradients = returned.split(", ")[1:]
    pairs = [(g, f"%u{i}", t) for g, i, t in zip(gradients, inputs, types, strict=True)]
    lines, loss, loss_type = weighted_sum(pairs, shapes, program.dtype)
    module = (f"func.func @forward({arguments}) -> ({loss_type} {{raf.name = \"loss\"}}) {{\n{body}    "
              + "\n    ".join(lines) + f"\n    return {loss} : {loss_type}\n}}\n")
    names = [f"x{i}" for i in inputs] + [f"w{i}" for i in float_results(program)]
    return tools.transform(module, f"raf-differentiate{{inputs={','.join(names)}}}")


def torch_gradients(program, weights, seconds=None):
    """PyTorch's gradients in float64; with `seconds` those of the gradients' weighted sum, by inputs and weights."""
    tensors = [torch.tensor(np.asarray(a)) for a in program.inputs]
    wrt = [tensors[i].requires_grad_() for i in float_inputs(program)]
    factors = [torch.tensor(w, requires_grad=seconds is not None) for w in weights]
    operands = iter(tensors)
    operands = [None if v is None else next(operands) for v in program.sample.inputs]
    results = as_tuple(program.record.torch(*operands, **program.sample.options))
    results = [results[i] for i in float_results(program)]
    loss = sum((r * w).sum() for r, w in zip(results, factors))
    if not loss.requires_grad:
        return [np.zeros(t.shape) for t in wrt]
    options = {"allow_unused": True, "materialize_grads": True}
    gradients = torch.autograd.grad(loss, wrt, create_graph=seconds is not None, **options)
    if seconds is not None:
        loss = sum((g * torch.tensor(u)).sum() for g, u in zip(gradients, seconds))
        wrt = wrt + factors
        if not loss.requires_grad:
            return [np.zeros(t.shape) for t in wrt]
        gradients = torch.autograd.grad(loss, wrt, **options)
    return [g.numpy(force=True) for g in gradients]
