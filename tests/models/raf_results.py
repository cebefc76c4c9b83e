"""What RAF says of a model, in the form of twins.Results."""

import functools

import numpy as np

from raf import session

import twins

SEED = 0


def key(step):
    return np.array([SEED, step])


def needs(program, function):
    """The inputs besides the batch that a function takes."""
    return {name for name, _, _ in program._session.inputs(function)} & {"lr", "key"}


def scalars(program, function, lr, step):
    given = {"lr": np.float32(lr), "key": key(step)}
    return {name: given[name] for name in needs(program, function)}


def batch_of(spec, seed=0):
    return {name: x.numpy() for name, x in twins.inputs(spec, seed).items()}


def load_weights(program, spec):
    program.load({name: w.numpy() for name, w in twins.weights(spec).items()})


@functools.cache
def first_step(spec, dialects="", threads=2, deterministic=False):
    """{"loss", "logits", "grad/NAME"...} of value_and_grad on PyTorch's weights and batch."""
    program = session.compile(spec, functions=["value_and_grad"], outputs=True, dialects=dialects, threads=threads,
                              deterministic=deterministic)
    load_weights(program, spec)
    return program.run("value_and_grad", **batch_of(spec), **scalars(program, "value_and_grad", 0, 0))


def training_program(spec, dialects="", threads=2, deterministic=False, **options):
    hyper = {"weight_decay": twins.HYPER["weight_decay"]}
    program = session.compile(spec, functions=["train_step"], optimizer="adamw", hyper=hyper, dialects=dialects,
                              threads=threads, deterministic=deterministic, **options)
    load_weights(program, spec)
    return program


def train(program, batches, lr):
    """(losses, gradient norms) of one step per batch."""
    losses, norms = [], []
    for step, batch in enumerate(batches):
        result = program.run("train_step", **batch, **scalars(program, "train_step", lr, step))
        losses.append(float(result["loss"]))
        norms.append(float(result["grad_norm"]))
    return losses, norms


@functools.cache
def updated(spec, steps, dialects="", clip=0.0):
    """Parameters after `steps` of AdamW on one batch; with `clip` also the first gradient norm, before clipping."""
    program = training_program(spec, dialects, clip_grad_norm=clip)
    _, norms = train(program, [batch_of(spec)] * steps, twins.HYPER["lr"])
    result = {name: array.copy() for name, array in program.parameters.items()}
    return {**result, "grad_norm": np.float32(norms[0])} if clip else result
