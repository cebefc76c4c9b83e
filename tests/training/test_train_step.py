"""A few steps of @train_step against PyTorch's loop in float64: loss, gradient norm, parameters, optimizer state."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from raf import tools

BATCH, TIME, WIDTH, VOCAB = 2, 4, 6, 11
SHAPES = {
    "wte": (VOCAB, WIDTH), "ln.weight": (WIDTH,), "ln.bias": (WIDTH,), "qkv.weight": (WIDTH, 3 * WIDTH), "qkv.bias": (3 * WIDTH,),
    "unused": (3, 3), "frozen": (WIDTH,),
}
RANK_2 = "tensor<2x4x6xf64>"
HEADS = "tensor<2x4x2x3xf64>"
SPLIT = "tensor<2x2x4x3xf64>"


def split(name, start):
    return f"""
  %{name}0 = raf.slice %qkv {{starts = array<i64: 0, 0, {start}>, limits = array<i64: 2, 4, {start + 6}>, strides = array<i64: 1, 1, 1>}} : (tensor<2x4x18xf64>) -> {RANK_2}
  %{name}1 = raf.reshape %{name}0 : {RANK_2} -> {HEADS}
  %{name} = raf.transpose %{name}1 {{permutation = array<i64: 0, 2, 1, 3>}} : ({HEADS}) -> {SPLIT}"""


def parameter(i, name):
    marks = {"frozen": ", raf.frozen", "qkv.weight": ", raf.no_decay"}.get(name, "")
    shape = "x".join(map(str, SHAPES[name]))
    return f'%p{i}: tensor<{shape}xf64> {{raf.name = "{name}", raf.kind = "param", raf.init = "zeros"{marks}}}'


MODEL = f"""func.func @forward({", ".join(parameter(i, name) for i, name in enumerate(SHAPES))},
    %ids: tensor<2x4xi64> {{raf.name = "ids", raf.kind = "input"}}, %labels: tensor<8xi64> {{raf.name = "labels", raf.kind = "input"}})
    -> (tensor<f64> {{raf.name = "loss"}}, tensor<8x11xf64> {{raf.name = "logits"}}) {{
  %e = raf.embedding %p0, %ids : (tensor<11x6xf64>, tensor<2x4xi64>) -> {RANK_2}
  %fb = raf.broadcast %p6 dims [2] : tensor<6xf64> -> {RANK_2}
  %x = raf.add %e, %fb : {RANK_2}
  %n, %mean, %rstd = raf.layer_norm %x, %p1, %p2 {{axes = 1 : i64, eps = 1.0e-5, operandSegmentSizes = array<i32: 1, 1, 1>}} : ({RANK_2}, tensor<6xf64>, tensor<6xf64>) -> ({RANK_2}, tensor<2x4xf64>, tensor<2x4xf64>)
  %m = raf.matmul %n, %p3 : ({RANK_2}, tensor<6x18xf64>) -> tensor<2x4x18xf64>
  %qb = raf.broadcast %p4 dims [2] : tensor<18xf64> -> tensor<2x4x18xf64>
  %qkv = raf.add %m, %qb : tensor<2x4x18xf64>{split("q", 0)}{split("k", 6)}{split("v", 12)}
  %a, %lse = raf.attention %q, %k, %v {{causal, scale = 0.5, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}} : ({SPLIT}, {SPLIT}, {SPLIT}) -> ({SPLIT}, tensor<2x2x4xf64>)
  %a1 = raf.transpose %a {{permutation = array<i64: 0, 2, 1, 3>}} : ({SPLIT}) -> {HEADS}
  %a2 = raf.reshape %a1 : {HEADS} -> {RANK_2}
  %g = raf.gelu %a2 : {RANK_2}
  %h = raf.add %g, %x : {RANK_2}
  %l = raf.matmul %h, %p0 {{transpose_b}} : ({RANK_2}, tensor<11x6xf64>) -> tensor<2x4x11xf64>
  %logits = raf.reshape %l : tensor<2x4x11xf64> -> tensor<8x11xf64>
  %loss, %lse2 = raf.cross_entropy %logits, %labels {{reduction = 1 : i32}} : (tensor<8x11xf64>, tensor<8xi64>) -> (tensor<f64>, tensor<8xf64>)
  return %loss, %logits : tensor<f64>, tensor<8x11xf64>
}}
"""


def model(p, ids, labels):
    x = F.embedding(ids, p["wte"]) + p["frozen"]
    qkv = F.layer_norm(x, (WIDTH,), p["ln.weight"], p["ln.bias"]) @ p["qkv.weight"] + p["qkv.bias"]
    q, k, v = (t.reshape(BATCH, TIME, 2, 3).transpose(1, 2) for t in qkv.split(WIDTH, -1))
    a = F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.5).transpose(1, 2).reshape(BATCH, TIME, WIDTH)
    logits = (F.gelu(a) + x) @ p["wte"].T
    return F.cross_entropy(logits.reshape(-1, VOCAB), labels)


# Name, hyper-parameters as RAF and as PyTorch have them, clipping.
OPTIMIZERS = {
    "sgd": ("sgd", {}, torch.optim.SGD, {}, 0),
    "sgd decay": ("sgd", {"weight_decay": 0.1, "maximize": 1}, torch.optim.SGD, {"weight_decay": 0.1, "maximize": True}, 0),
    "momentum": ("sgd", {"momentum": 0.9, "dampening": 0.5}, torch.optim.SGD, {"momentum": 0.9, "dampening": 0.5}, 0.25),
    "nesterov": ("sgd", {"momentum": 0.9, "nesterov": 1}, torch.optim.SGD, {"momentum": 0.9, "nesterov": True}, 0),
    "adam": ("adam", {"weight_decay": 0.1, "beta1": 0.8}, torch.optim.Adam, {"weight_decay": 0.1, "betas": (0.8, 0.999)}, 1000),
    "adamw": ("adamw", {}, torch.optim.AdamW, {}, 0.5),
    "adagrad": ("adagrad", {"lr_decay": 0.5, "initial_accumulator_value": 0.25}, torch.optim.Adagrad,
                {"lr_decay": 0.5, "initial_accumulator_value": 0.25}, 0),
    "rmsprop": ("rmsprop", {}, torch.optim.RMSprop, {}, 0),
    "rmsprop momentum": ("rmsprop", {"momentum": 0.9, "weight_decay": 0.1}, torch.optim.RMSprop, {"momentum": 0.9, "weight_decay": 0.1}, 0),
}
RATE = 0.0625


def comparable(name, array):
    """Without the bias of the keys: softmax does not see it, so its gradient is rounding noise, which Adam scales up."""
    return np.delete(array, np.s_[WIDTH:2 * WIDTH]) if name == "qkv.bias" else array


@pytest.fixture
def problem():
    generator = np.random.default_rng(3)
    parameters = {name: generator.standard_normal(shape) for name, shape in SHAPES.items()}
    return parameters, generator.integers(0, VOCAB, (BATCH, TIME)), generator.integers(0, VOCAB, BATCH * TIME)


@pytest.mark.parametrize("decay_all", [False, True])
@pytest.mark.parametrize("case", OPTIMIZERS)
def test_three_steps(case, decay_all, problem):
    """Clipping, decay and updates are torch.optim's, parameter by parameter; what is frozen or unused stays."""
    name, hyper, optimizer, options, clip = OPTIMIZERS[case]
    start, ids, labels = problem
    hypers = " hyper=" + ",".join(f"{k}:{v}" for k, v in hyper.items()) if hyper else ""
    step = tools.transform(MODEL, f"raf-differentiate,raf-optimizer{{name={name} clip={clip} decay-biases-and-norms={str(decay_all).lower()}{hypers}}}"
                                  ",func.func(raf-simplify)")
    signature = step[step.index("@train_step"):].split(" {\n")[0]
    arguments, results = signature.split(" -> ")
    states = [a.split('"')[0] for a in arguments.split('raf.name = "')[1:]]
    updated = [a.split('"')[0] for a in results.split('raf.updates = "')[1:]]

    p = {n: torch.tensor(a, requires_grad=n != "frozen") for n, a in start.items()}
    decays = [n for n in p if decay_all or (p[n].dim() >= 2 and n != "qkv.weight")]
    groups = [{"params": [p[n] for n in decays if n != "frozen"]},
              {"params": [p[n] for n in p if n not in decays and n != "frozen"], "weight_decay": 0}]
    reference = optimizer([g for g in groups if g["params"]], lr=RATE, **options)

    values = dict(start)
    for n in states:
        if "/" in n:
            values[n] = np.full(SHAPES[n.rsplit("/", 1)[0]], hyper.get("initial_accumulator_value", 0.0))
    for number in range(3):
        values |= {"ids": ids, "labels": labels, "lr": np.float32(RATE), "key": np.array([7, number])}
        out = tools.evaluate(step, [values[n] for n in states], "train_step", float64=True)
        values |= dict(zip(updated, out))
        loss, norm = out[len(updated):]

        reference.zero_grad()
        want = model(p, torch.tensor(ids), torch.tensor(labels))
        want.backward()
        trainable = [t for t in p.values() if t.grad is not None]
        want_norm = torch.nn.utils.clip_grad_norm_(trainable, clip or np.inf)
        reference.step()
        np.testing.assert_allclose(loss, want.item(), rtol=1e-12)
        np.testing.assert_allclose(norm, want_norm.item(), rtol=1e-12)
        for n, t in p.items():
            # A handful of float64 roundings, divided by square roots of small squares.
            np.testing.assert_allclose(comparable(n, values[n]), comparable(n, t.detach().numpy()), rtol=1e-9, atol=1e-11, err_msg=f"{n} after step {number}")
    for t_name, t in p.items():
        for slot, value in reference.state[t].items() if t in reference.state else ():
            if f"{t_name}/{slot}" in values:
                got = comparable(t_name, values[f"{t_name}/{slot}"])
                np.testing.assert_allclose(got, comparable(t_name, value.numpy()), rtol=1e-9, atol=1e-12, err_msg=f"{t_name}/{slot}")
    assert not any(n.startswith(("unused/", "frozen/")) for n in states)
    assert ("qkv.weight/momentum_buffer" in states) == (hyper.get("momentum", 0) != 0)
