"""Parameter updates, against torch.optim where it has them and the papers' formulas where not."""

import numpy as np
import torch

from ops.harness import Bad, Record, Sample, f64, normal, scalar

# Values that float32 holds exactly, since lr and scale are float32 and PyTorch's are float64.
LR, SCALE = 2.0**-7, 0.75
SLOTS = {"sgd": (), "sgd_momentum": ("momentum_buffer",), "adam": ("exp_avg", "exp_avg_sq"), "lamb": ("exp_avg", "exp_avg_sq"),
         "lans": ("exp_avg", "exp_avg_sq"), "adagrad": ("sum",), "rmsprop": ("square_avg", "momentum_buffer"), "lion": ("exp_avg",)}


def torch_update(make, names):
    """One step of a torch.optim optimizer whose state is given."""
    def update(param, grad, *rest, **hyper):
        slots, lr, scale, step = rest[:-3], rest[-3], rest[-2], rest[-1]
        p = torch.nn.Parameter(param.clone())
        p.grad = grad * scale.item()
        optimizer = make([p], lr.item(), hyper)
        state = {"step": torch.tensor(float(step.item()) - 1)}
        state |= {name: slot.clone() for name, slot in zip(names, slots)}
        if step.item() == 1 and "momentum_buffer" in state and len(names) == 1:
            state["momentum_buffer"] = None  # SGD's first step
        optimizer.state[p] = state
        optimizer.step()
        state = optimizer.state[p]
        return (p.data, *(state.get(name, slot) for name, slot in zip(names, slots)))
    return update


def sgd(params, lr, h):
    return torch.optim.SGD(params, lr, momentum=h.get("momentum", 0), dampening=h.get("dampening", 0), weight_decay=h["weight_decay"],
                           nesterov=h.get("nesterov", False), maximize=h.get("maximize", False), foreach=False)


def adam(params, lr, h):
    kind = torch.optim.AdamW if h.get("decoupled") else torch.optim.Adam
    return kind(params, lr, betas=(h["beta1"], h["beta2"]), eps=h["eps"], weight_decay=h["weight_decay"], maximize=h.get("maximize", False),
                foreach=False)


def adagrad(params, lr, h):
    return torch.optim.Adagrad(params, lr, lr_decay=h["lr_decay"], eps=h["eps"], weight_decay=h["weight_decay"], foreach=False)


def rmsprop(params, lr, h):
    return torch.optim.RMSprop(params, lr, alpha=h["alpha"], eps=h["eps"], weight_decay=h["weight_decay"], momentum=h["momentum"], foreach=False)


def ratio(a, b):
    return a / b if a > 0 and b > 0 else torch.ones_like(a)


def lamb(param, grad, m, v, lr, scale, step, beta1, beta2, eps, weight_decay):
    g, step = grad * scale, step.double()
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    u = (m / (1 - beta1**step)) / ((v / (1 - beta2**step)).sqrt() + eps) + weight_decay * param
    return param - lr * ratio(param.norm(), u.norm()) * u, m, v


def lans(param, grad, m, v, lr, scale, step, beta1, beta2, eps, weight_decay):
    g, step = grad * scale, step.double()
    g = g / g.norm() if g.norm() > 0 else g
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    root = (v / (1 - beta2**step)).sqrt() + eps
    r = (m / (1 - beta1**step)) / root + weight_decay * param
    c = g / root + weight_decay * param
    d = beta1 * ratio(param.norm(), r.norm()) * r + (1 - beta1) * ratio(param.norm(), c.norm()) * c
    return param - lr * d, m, v


def lion(param, grad, m, lr, scale, step, beta1, beta2, weight_decay):
    g = grad * scale
    param = param * (1 - lr.double() * weight_decay)
    return param - lr * torch.sign(beta1 * m + (1 - beta1) * g), beta2 * m + (1 - beta2) * g


def samples(op, settings):
    result = []
    for number, hyper in enumerate(settings):
        attributes = ", ".join(name if value is True else f"{name} = {f64(value)}" for name, value in hyper.items() if value is not False)
        for shape, step in (((5, 7), 1), ((5, 7), 10), ((1,), 3), ((0, 3), 2), ((), 100000)):
            slots = [np.abs(normal(*shape, seed=2 + i)) if name in ("exp_avg_sq", "sum", "square_avg") else normal(*shape, seed=2 + i)
                     for i, name in enumerate(SLOTS[op])]
            if op == "sgd_momentum" and step == 1:
                slots = [np.zeros(shape)]
            result.append(Sample([normal(*shape), normal(*shape, seed=1), *slots, scalar(LR), scalar(SCALE), np.array(step)], attributes,
                                 hyper, f"{number} step {step} {'x'.join(map(str, shape))}"))
    return result


def record(op, function, settings):
    types = ["tensor<3xf32>"] * (2 + len(SLOTS[op])) + ["tensor<f32>", "tensor<f32>", "tensor<i64>"]
    types[1] = "tensor<4xf32>"
    attributes = samples(op, settings)[0].attributes
    operands = ", ".join(f"%{i}" for i in range(len(types)))
    results = ["tensor<3xf32>"] * (1 + len(SLOTS[op]))
    count = f":{len(results)}" if len(results) > 1 else ""
    return Record(op, function, samples(op, settings), results=("x",) * (1 + len(SLOTS[op])), gradient=(),
                  no_gradient="an update is not differentiated", units=8, cancels=True, reason="a handful of roundings in float32 or wider",
                  bad=[Bad(types, f'%r{count} = "raf.{op}"({operands}) <{{{attributes}}}> : ({", ".join(types)}) -> ({", ".join(results)})',
                           "(C1)")])


BETAS = {"beta1": 0.9, "beta2": 0.999, "eps": 1e-8}

RECORDS = [
    record("sgd", torch_update(sgd, ()), [{"weight_decay": 0}, {"weight_decay": 0.1, "maximize": True}]),
    record("sgd_momentum", torch_update(sgd, ("momentum_buffer",)), [
        {"momentum": 0.9, "dampening": 0, "weight_decay": 0}, {"momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1},
        {"momentum": 0.8, "dampening": 0, "weight_decay": 0.1, "nesterov": True, "maximize": True}]),
    record("adam", torch_update(adam, ("exp_avg", "exp_avg_sq")), [
        {**BETAS, "weight_decay": 0}, {**BETAS, "weight_decay": 0.1, "maximize": True}, {**BETAS, "weight_decay": 0.1, "decoupled": True},
        {"beta1": 0.3, "beta2": 0.4, "eps": 0.1, "weight_decay": 0}]),
    record("lamb", lamb, [{**BETAS, "weight_decay": 0}, {**BETAS, "weight_decay": 0.1}]),
    record("lans", lans, [{**BETAS, "weight_decay": 0}, {**BETAS, "weight_decay": 0.1}]),
    record("adagrad", torch_update(adagrad, ("sum",)), [
        {"lr_decay": 0, "eps": 1e-10, "weight_decay": 0}, {"lr_decay": 0.1, "eps": 1e-10, "weight_decay": 0.1}]),
    record("rmsprop", torch_update(rmsprop, ("square_avg", "momentum_buffer")), [
        {"alpha": 0.99, "eps": 1e-8, "weight_decay": 0, "momentum": 0}, {"alpha": 0.9, "eps": 1e-8, "weight_decay": 0.1, "momentum": 0.9}]),
    record("lion", lion, [{"beta1": 0.9, "beta2": 0.99, "weight_decay": 0}, {"beta1": 0.9, "beta2": 0.99, "weight_decay": 0.1}]),
]
