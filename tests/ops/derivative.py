"""The derivative of one op, as the compiler builds it and as autograd does."""

import numpy as np
import torch

from ops.harness import FLOATS, Fixed, as_tuple, normal, statistics_dtype, tensor_type
from raf import tools


class Derivative:
    """loss = sum over the op's float results of sum(result * weight), as a forward model whose parameters are the op's float inputs."""

    def __init__(self, program):
        self.program = program
        sample = program.sample
        given = [v for v in sample.inputs if v is not None]
        floats = [i for i, v in enumerate(given) if not isinstance(v, Fixed) and v.dtype == np.float64]
        self.wrt = floats if program.record.gradient is None else [i for i in program.record.gradient if i in floats]
        self.loss_dtype = statistics_dtype(program.dtype)
        self.weighted = [i for i, dtype in enumerate(program.result_dtypes) if dtype in FLOATS]
        expected = program.expected()
        self.weights = [normal(*expected[i].shape, seed=31 + i) for i in self.weighted]

    def module(self):
        p, lines = self.program, []
        arguments = []
        for i, type_ in enumerate(p.input_types):
            kind = "param" if i in self.wrt else "key" if type_ == "tensor<2xi64>" else "input"
            arguments.append(f'%{i}: {type_} {{raf.name = "x{i}", raf.kind = "{kind}"}}')
        for i, weight in zip(self.weighted, self.weights):
            arguments.append(f'%w{i}: {tensor_type(weight.shape, self.loss_dtype)} {{raf.name = "w{i}", raf.kind = "input"}}')
        total, scalar = None, tensor_type((), self.loss_dtype)
        for i, weight in zip(self.weighted, self.weights):
            wide = tensor_type(weight.shape, self.loss_dtype)
            lines.append(f"%c{i} = raf.cast {p.result_names()[i]} : {p.result_types[i]} -> {wide}")
            lines.append(f"%m{i} = raf.mul %c{i}, %w{i} : {wide}")
            lines.append(f"%s{i} = raf.reduce_sum %m{i} dims [{', '.join(map(str, range(weight.ndim)))}] : {wide} -> {scalar}")
            if total is not None:
                lines.append(f"%t{i} = raf.add {total}, %s{i} : {scalar}")
            total = f"%s{i}" if total is None else f"%t{i}"
        body = "\n  ".join([p.statement(), *lines])
        return (f'func.func @forward({", ".join(arguments)}) -> ({scalar} {{raf.name = "loss"}}) {{\n'
                f"  {body}\n  return {total} : {scalar}\n}}\n")

    def gradients(self):
        module = tools.transform(self.module(), "raf-differentiate")
        return tools.evaluate(module, [*self.program.inputs, *self.weights], function="value_and_grad")

    def loss(self, inputs):
        return float(tools.evaluate(self.module(), [*inputs, *self.weights])[0])

    def autograd(self):
        tensors = [torch.tensor(np.asarray(a), requires_grad=i in self.wrt) for i, a in enumerate(self.program.inputs)]
        filled = iter(tensors)
        results = as_tuple(self.program.record.torch(
            *[None if v is None else next(filled) for v in self.program.sample.inputs], **self.program.sample.options))
        loss = sum((results[i] * torch.tensor(w)).sum() for i, w in zip(self.weighted, self.weights))
        wrt = [tensors[i] for i in self.wrt]
        if not loss.requires_grad:
            return [np.zeros(t.shape) for t in wrt]
        return [g.numpy() for g in torch.autograd.grad(loss, wrt, allow_unused=True, materialize_grads=True)]
