"""Losses."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from ops.harness import Bad, Record, Sample, integers, normal, uniform

REDUCTIONS = ("none", "mean", "sum")
INF = math.inf


def pair(op, function, x, y, extra="", special=None, **options):
    samples = []
    for number, reduction in enumerate(REDUCTIONS):
        attributes = f"reduction = {number} : i32{extra}"
        for shape in ((5, 7), (1,), (67,), ()):
            samples.append(Sample([x(*shape), y(*shape)], attributes, {"reduction": reduction}, f"{reduction}{len(samples)}"))
        samples.append(Sample([x(0, 3), y(0, 3)], attributes, {"reduction": reduction}, f"{reduction} empty", smooth=False))
    for values in special or ():
        samples.append(Sample(list(map(np.array, values)), f"reduction = 0 : i32{extra}", {"reduction": "none"}, "special", smooth=False))
    return Record(op, function, samples, units=8, cancels=True, reason="a few roundings in float32 or wider", bad=[
        Bad(["tensor<3xf32>", "tensor<4xf32>"],
            f'"raf.{op}"(%0, %1) <{{reduction = 1 : i32{extra}}}> : (tensor<3xf32>, tensor<4xf32>) -> tensor<f32>', "same type")], **options)


def other(*shape):
    return normal(*shape, seed=1)


def probability(*shape):
    return uniform(0.05, 0.95, *shape, seed=2)


def log_probability(*shape):
    return np.log(probability(*shape))


def huber(delta):
    return lambda x, t, reduction: F.huber_loss(x, t, reduction=reduction, delta=delta)


def smooth_l1(beta):
    return lambda x, t, reduction: F.smooth_l1_loss(x, t, reduction=reduction, beta=beta)


def kl_div(log_target):
    return lambda x, t, reduction: F.kl_div(x, t, reduction=reduction, log_target=log_target)


def differentiable_in_weight(logits, labels, weight, reduction, ignore_index=-100, label_smoothing=0.0):
    """F.cross_entropy, which gives the weight no gradient."""
    logp, valid = torch.log_softmax(logits, 1), labels != ignore_index
    labels = torch.where(valid, labels, 0)
    w = weight[labels] * valid
    loss = -(1 - label_smoothing) * logp.gather(1, labels[:, None])[:, 0] * w
    loss = loss - label_smoothing / logits.shape[1] * (logp * weight).sum(1) * valid
    return loss if reduction == "none" else loss.sum() / (w.sum() if reduction == "mean" else 1)


def cross_entropy(logits, labels, weight, reduction, ignore_index=-100, label_smoothing=0.0):
    if weight is not None and weight.requires_grad:
        loss = differentiable_in_weight(logits, labels.long(), weight, reduction, ignore_index, label_smoothing)
        return loss, torch.logsumexp(logits, 1)
    loss = F.cross_entropy(logits, labels.long(), weight, reduction=reduction, ignore_index=ignore_index, label_smoothing=label_smoothing)
    return loss, torch.logsumexp(logits, 1)


def cross_entropy_samples():
    samples = []

    def add(logits, labels, weight=None, **options):
        smooth = options.pop("smooth", True)
        name = options.pop("name", "")
        attributes = [f"reduction = {REDUCTIONS.index(options['reduction'])} : i32"]
        if "ignore_index" in options:
            attributes.append(f"ignore_index = {options['ignore_index']} : i64")
        if "label_smoothing" in options:
            attributes.append(f"label_smoothing = {options['label_smoothing']} : f64")
        samples.append(Sample([logits, labels, weight], ", ".join(attributes), options, name, smooth))

    labels = integers(0, 11, 6)
    masked = np.where([False, True, False, False, True, False], -100, labels)
    for reduction in REDUCTIONS:
        add(normal(6, 11), labels, reduction=reduction)
        add(normal(6, 11, scale=40), labels, reduction=reduction, name=f"{reduction} wide")
        add(normal(6, 11), labels, uniform(0.1, 2, 11), reduction=reduction, name=f"{reduction} weight")
        add(normal(6, 11), masked, reduction=reduction, name=f"{reduction} ignored")
        add(normal(6, 11), labels, reduction=reduction, label_smoothing=0.1, name=f"{reduction} smoothing")
        add(normal(6, 11), np.where(labels == 3, 4, labels), uniform(0.1, 2, 11), reduction=reduction, label_smoothing=0.3,
            ignore_index=4, name=f"{reduction} all")
        add(normal(0, 5), integers(0, 5, 0), reduction=reduction, smooth=False)
    add(normal(1, 1), np.array([0], np.int32), reduction="mean")
    add(normal(2, 67), np.array([66, 0], np.int32), reduction="mean")
    add(normal(3, 5), np.full(3, -100), reduction="mean", name="all ignored", smooth=False)
    add(np.array([[0.0, -INF, 1.0], [-INF, 0.0, 1.0]]), np.array([0, 0]), reduction="none", name="special", smooth=False)
    return samples


def cross_entropy_bad(types, attributes, label, loss="tensor<f32>"):
    operands = ", ".join(f"%{i}" for i in range(len(types)))
    rows = types[0][7:].split("x")[0]
    return Bad(types, f'%r:2 = "raf.cross_entropy"({operands}) <{{reduction = 1 : i32{attributes}}}> : ({", ".join(types)}) -> '
               f"({loss}, tensor<{rows}xf32>)", label)


RECORDS = [
    Record("cross_entropy", cross_entropy, cross_entropy_samples(), results=("x", "stat"), gradient=(0,), units=8, cancels=True,
           reason="rounded once from double by the reference; compiled, a few roundings in float32", bad=[
        cross_entropy_bad(["tensor<2x3xf32>", "tensor<4xi64>"], "", "(C1)"),
        cross_entropy_bad(["tensor<2x3xf32>", "tensor<2xi64>"], ", label_smoothing = 1.5 : f64", "(C2)"),
        cross_entropy_bad(["tensor<2x3xf32>", "tensor<2xi64>", "tensor<2xf32>"], "", "(C3)")]),
    pair("mse_loss", F.mse_loss, normal, other),
    pair("l1_loss", F.l1_loss, normal, other),
    pair("huber_loss", huber(0.7), normal, other, ", delta = 0.7 : f64", [([0.0, 1.0, INF], [0.0, 1.7, 0.0])]),
    pair("smooth_l1_loss", smooth_l1(0.3), normal, other, ", beta = 0.3 : f64"),
    pair("smooth_l1_loss", smooth_l1(0.0), normal, other, ", beta = 0.0 : f64"),
    pair("bce_loss", F.binary_cross_entropy, probability, lambda *s: uniform(0, 1, *s, seed=3), special=[([0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0])]),
    pair("bce_with_logits_loss", F.binary_cross_entropy_with_logits, lambda *s: normal(*s, scale=5), lambda *s: uniform(0, 1, *s, seed=3),
         special=[([90.0, -90.0, 0.0], [1.0, 1.0, 0.5])]),
    pair("kl_div_loss", kl_div(False), log_probability, lambda *s: uniform(0.05, 1, *s, seed=3), special=[([-1.0, -2.0], [0.0, 1.0])]),
    pair("kl_div_loss", kl_div(True), log_probability, lambda *s: np.log(uniform(0.05, 1, *s, seed=3)), ", log_target"),
]
