"""A small model, optimizer and schedule that log what a training step does with them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

STEEP = 10.0  # of the scores, so that the largest norm is passed in both steps


class Table(nn.Module):
    """Scores of the next token by the last one; for a classifier, their mean over the sentence."""

    def __init__(self, vocab_size: int, n_classes: int, log: "Log") -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        self.scores = nn.Parameter(torch.randn(vocab_size, n_classes, generator=generator))
        self.log = log

    def forward(self, *token_ids: Tensor, need_weights: bool = False) -> tuple[Tensor, None]:
        self.log.events.append("forward")
        self.log.modes.append(self.training)
        read = token_ids[-1]
        self.log.read.append(read.clone())
        scores = STEEP * self.scores[read]
        logits = scores if len(token_ids) > 1 else scores.mean(dim=1)
        self.log.logits.append(logits)
        return logits, None


@dataclass
class Log:
    """The events of one step, in order, and what it computed."""

    events: list[str] = field(default_factory=list)
    modes: list[bool] = field(default_factory=list)
    read: list[Tensor] = field(default_factory=list)
    logits: list[Tensor] = field(default_factory=list)
    gradient: Tensor | None = None  # when the optimizer stepped
    rate: float = 0.0  # of that step


class Descent(torch.optim.SGD):
    """Gradient descent that says when it steps."""

    log: Log

    def step(self, closure: Any = None) -> Any:
        parameter = self.param_groups[0]["params"][0]
        self.log.events.append("optimizer")
        self.log.gradient = None if parameter.grad is None else parameter.grad.clone()
        self.log.rate = self.param_groups[0]["lr"]
        return super().step(closure)


class Halving(torch.optim.lr_scheduler.LambdaLR):
    """A schedule that halves the rate and says when it steps."""

    log: Log | None = None

    def step(self, epoch: Any = None) -> None:
        if self.log is not None:
            self.log.events.append("schedule")
        super().step(epoch)


def logged_backward(log: Log) -> Callable[[Tensor], None]:
    def backward(loss: Tensor) -> None:
        log.events.append("backward")
        loss.backward()

    return backward


def logged_clip(log: Log) -> Callable[..., Tensor]:
    def clip(parameters: Any, max_norm: float, *rest: Any, **named: Any) -> Tensor:
        log.events.append("clip")
        return nn.utils.clip_grad_norm_(parameters, max_norm, *rest, **named)

    return clip
