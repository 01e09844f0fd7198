"""Style: single precision, torch's ready-made loss and initializers."""

import torch
from torch import nn


def sinusoidal_positions(n_positions, d_model):
    i = torch.arange(d_model)
    a = torch.arange(n_positions)[:, None] * 1e4 ** (-(i - i % 2) / d_model)
    return torch.where(i % 2 == 0, a.sin(), a.cos())


def warmup_rate(step, d_model, warmup_steps=4000):
    if step <= 0:
        raise ValueError(step)
    return (d_model * max(step, warmup_steps**3 / step**2)) ** -0.5


def training_step(
    model,
    token_ids,
    labels,
    optimizer,
    schedule,
    max_norm=1.0,
    label_smoothing=0.1,
    backward=torch.Tensor.backward,
    clip=nn.utils.clip_grad_norm_,
):
    y = model.train()(token_ids)[0]
    backward(loss := nn.CrossEntropyLoss(label_smoothing=label_smoothing)(y, labels))
    norm, lr = clip(model.parameters(), max_norm=max_norm).item(), optimizer.param_groups[0]["lr"]
    optimizer.step(), schedule.step(), optimizer.zero_grad()
    hits = y.max(-1).indices.eq(labels).float()
    names = "loss gradient_norm learning_rate accuracy".split()
    return dict(zip(names, (loss.item(), norm, lr, hits.mean().item()), strict=True))


def initialize(model, scheme, generator):
    draw = {
        "xavier": lambda w: nn.init.xavier_uniform_(w, generator=generator),
        "he": lambda w: nn.init.kaiming_normal_(w, generator=generator),
        "normal": lambda w: nn.init.normal_(w, 0, 0.02, generator),
    }
    if scheme not in draw:
        raise ValueError(f"{scheme}: {[*draw]}")
    for m in filter(lambda m: isinstance(m, nn.Linear), model.modules()):
        draw[scheme](m.weight), m.bias is None or nn.init.zeros_(m.bias)
