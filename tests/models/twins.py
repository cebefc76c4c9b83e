"""Models of odd sizes with weights that hide nothing, and what PyTorch says of them."""

import dataclasses
import functools
import math

import torch
from torch import nn

from benchmarks import models

# Sizes are odd where they can be: no extent is a multiple of a vector's width except in the last.
SPECS = {
    "gpt2": "gpt2:layers=2,width=42,heads=3,context=17,vocab=37,batch=3,dropout=0",
    "gpt2-erf": "gpt2:layers=1,width=30,heads=2,context=7,vocab=19,batch=2,dropout=0,gelu=erf",
    "bert": "bert-base:layers=2,width=35,heads=5,hidden=73,context=13,vocab=31,batch=2,dropout=0",
    "vit": "vit-b-16:layers=2,width=44,heads=4,hidden=81,image=21,patch=7,channels=3,classes=7,batch=3",
    "llama": "llama:layers=2,width=60,heads=6,kv_heads=2,hidden=77,context=11,vocab=29,batch=2",
    "mlp": "mlp:layers=3,width=33,input=21,classes=5,batch=7",
    "gpt2-even": "gpt2:layers=2,width=64,heads=2,context=32,vocab=96,batch=4,dropout=0",
}
HYPER = dict(lr=1e-3, weight_decay=0.1)
IGNORED = -100


def weights(spec, seed=0):
    """Weights under which every parameter matters: gains differ from 1, biases and the class token from 0."""
    generator = torch.Generator().manual_seed(seed)
    state = {}
    for name, p in models.build(spec).named_parameters():
        noise = torch.randn(p.shape, generator=generator)
        if p.dim() >= 2:
            state[name] = noise / math.sqrt(math.prod(p.shape[1:]))
        else:
            state[name] = p.detach() + 0.2 * noise
    return state


def inputs(spec, seed=0):
    """A batch; a sixth of a masked language model's positions are predicted, the rest ignored."""
    batch = models.batch(spec, seed)
    if spec.startswith("bert"):
        keep = torch.rand(batch["labels"].shape, generator=torch.Generator().manual_seed(seed)) < 1 / 6
        keep[0, 0] = True
        batch["labels"] = torch.where(keep, batch["labels"], IGNORED)
    return batch


@dataclasses.dataclass
class Results:
    """By name: {"loss": ..., "logits": ..., "grad/NAME": ..., "NAME": updated parameter}, as NumPy arrays."""

    outputs: dict
    gradients: dict
    updated: dict

    def all(self):
        return {**self.outputs, **{f"grad/{name}": g for name, g in self.gradients.items()}, **self.updated}


def twin(spec, dtype, seed=0):
    model = models.build(spec)
    model.load_state_dict(weights(spec, seed))
    return model.to(dtype)


def typed(batch, dtype):
    return {name: x.to(dtype) if x.is_floating_point() else x for name, x in batch.items()}


@functools.cache
def pytorch(spec, dtype, steps=1, seed=0, clip=0.0):
    """Loss, logits and gradients of the first step, and parameters after `steps` of AdamW on one batch.

    With `clip` gradients are clipped to that global norm, and outputs has the norm before clipping of the first step.
    """
    model, batch = twin(spec, dtype, seed), typed(inputs(spec, seed), dtype)
    optimizer = models.adamw(model, **HYPER, fused=False)
    first = None
    for _ in range(steps):
        optimizer.zero_grad()
        loss, logits = model(**batch)
        loss.backward()
        if first is None:
            outputs = {"loss": loss.detach().numpy(), "logits": logits.detach().numpy()}
            first = outputs, {name: p.grad.numpy().copy() for name, p in model.named_parameters()}
        if clip:
            norm = nn.utils.clip_grad_norm_(model.parameters(), clip)
            outputs.setdefault("grad_norm", norm.detach().numpy())
        optimizer.step()
    return Results(*first, {name: p.detach().numpy().copy() for name, p in model.named_parameters()})
