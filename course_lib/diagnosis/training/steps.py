"""Checks of a training step: two real steps of a small model, watched from all sides.

The model is a table of scores, so that no fault of one's own model disturbs the measurement.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from ..check import TOLERANCE, Check, Fault, first_of, off_by
from .logged_step import STEEP, Descent, Halving, Log, Table, logged_backward, logged_clip

RATES = (0.5, 0.25, 0.125)  # of the steps: each is half the one before
GIVEN = {"max_norm": 0.05, "label_smoothing": 0.2}  # in the first step
DEFAULTS = {"max_norm": 1.0, "label_smoothing": 0.1}  # in the second
ORDER = ("forward", "backward", "clip", "optimizer", "schedule", "cleared")


def training(
    step: Callable[..., dict[str, float]],
    batch: tuple[Tensor, ...],
    vocab_size: int,
    n_classes: int,
    pad_id: int | None = None,
) -> Check:
    """A step trains by §5.3 and §5.4, in the right order, and reports what it did.

    `batch` is (token_ids, labels), or (source_ids, target_ids) with a `pad_id`.
    """
    faults = _of_steps(step, batch, vocab_size, n_classes, pad_id)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's, of an order that is said below
        return first_of("training step", faults, f"two steps: {', '.join(ORDER)}")


def _of_steps(
    step: Callable[..., dict[str, float]],
    batch: tuple[Tensor, ...],
    vocab_size: int,
    n_classes: int,
    pad_id: int | None,
) -> Iterator[Fault]:
    model = Table(vocab_size, n_classes, Log())
    if pad_id is not None:
        _teach(model.scores.data, batch[1], pad_id)
    optimizer = Descent(model.parameters(), lr=RATES[0])
    schedule = Halving(optimizer, lambda number: 0.5**number)
    for number, settings in enumerate((GIVEN, DEFAULTS)):
        log = model.log = optimizer.log = schedule.log = Log()
        model.eval()  # a loop evaluates between two steps
        before = model.scores.detach().clone()
        named: dict[str, Any] = {} if pad_id is None else {"pad_id": pad_id}
        named |= {"backward": logged_backward(log), "clip": logged_clip(log)}
        row = step(
            *(model, *(one.clone() for one in batch), optimizer, schedule),
            **(GIVEN if number == 0 else {}),
            **named,
        )
        if model.scores.grad is None or not model.scores.grad.any():
            log.events.append("cleared")
        wanted = _wanted(before, batch, pad_id, settings)
        yield from _of_forward(log, batch, pad_id)
        yield from _of_gradient(log, wanted, number)
        yield from _of_order(log)
        if not off_by(model.scores.detach(), before - log.rate * wanted.clipped) < TOLERANCE:
            yield "the weights do not move by rate × gradient", "the optimizer alone changes them"
        yield from _of_row(row, log, wanted)


@dataclass(frozen=True)
class _Wanted:
    """The loss that a step should find, its gradient, and the accuracy."""

    loss: float
    accuracy: float
    gradient: Tensor
    max_norm: float

    @property
    def norm(self) -> float:
        return self.gradient.norm().item()

    @property
    def clipped(self) -> Tensor:
        return self.gradient * min(1.0, self.max_norm / self.norm)


def _teach(scores: Tensor, target_ids: Tensor, pad_id: int) -> None:
    """Let the table know some next tokens, and what follows the end: accuracies then differ."""
    first = target_ids[0].tolist()
    for read, label in ((first[1], first[2]), (first[2], first[3]), (first[-1], pad_id)):
        scores[read, label] = scores.max() + 1


def _wanted(
    before: Tensor, batch: tuple[Tensor, ...], pad_id: int | None, settings: dict[str, float]
) -> _Wanted:
    """By torch, for the table's scores before the step."""
    scores = before.clone().requires_grad_()
    if pad_id is None:
        logits, labels = STEEP * scores[batch[0]].mean(dim=1), batch[1]
    else:
        logits, labels = STEEP * scores[batch[1][:, :-1]], batch[1][:, 1:]
    ignored = -100 if pad_id is None else pad_id
    real = labels != ignored
    loss = F.cross_entropy(
        logits.flatten(0, -2),
        labels.flatten(),
        ignore_index=ignored,
        label_smoothing=settings["label_smoothing"],
    )
    right = (logits.argmax(dim=-1) == labels) & real
    (gradient,) = torch.autograd.grad(loss, scores)
    accuracy = right.sum().item() / real.sum().item()
    return _Wanted(loss.item(), accuracy, gradient, settings["max_norm"])


def _of_forward(log: Log, batch: tuple[Tensor, ...], pad_id: int | None) -> Iterator[Fault]:
    if not log.logits:
        yield "the step never calls the model", "logits, _ = model(…)"
        return
    if not log.modes[0]:
        advice = "model.train() in every step: an evaluation between two steps ends that mode"
        yield "the model is in evaluation mode", advice
    if pad_id is not None and not torch.equal(log.read[0], batch[1][:, :-1]):
        advice = "teacher forcing: it reads START …, all but the last token, and predicts the next"
        yield f"of {_listed(batch[1])} the decoder reads {_listed(log.read[0])}", advice


def _listed(tokens: Tensor) -> str:
    return " ".join(str(token) for token in tokens[0].tolist())


def _of_order(log: Log) -> Iterator[Fault]:
    missing = [event for event in ORDER if event not in log.events]
    advice = {
        "backward": "call the given backward(loss)",
        "clip": "call the given clip(parameters, max_norm)",
        "optimizer": "optimizer.step() changes the weights: without it nothing learns",
        "schedule": "schedule.step() after every step of the optimizer",
        "cleared": "optimizer.zero_grad(): the next step's gradients are added to these",
    }
    if missing:
        yield f"missing in a step: {', '.join(missing)}", advice[missing[0]]
    elif tuple(log.events) != ORDER:
        yield f"the order is {', '.join(log.events)}", f"it is {', '.join(ORDER)}, each once"


def _of_gradient(log: Log, wanted: _Wanted, number: int) -> Iterator[Fault]:
    """Faults of the gradient with which the optimizer stepped."""
    if "optimizer" not in log.events:
        return  # the order says so
    found = log.gradient
    if found is None or not found.any():
        advice = "backward(loss) of a loss that is not detached, and zero_grad after the step"
        yield "the optimizer finds no gradient: nothing is learned", advice
    elif off_by(found, wanted.clipped) < TOLERANCE * wanted.max_norm:
        return
    elif off_by(found, wanted.gradient) < TOLERANCE:
        yield "the gradients are not clipped before the optimizer steps", "clip after backward"
    elif F.cosine_similarity(found.flatten(), wanted.gradient.flatten(), dim=0) > 1 - TOLERANCE:
        advice = "clip(parameters, max_norm) of one backward pass, of the mean loss"
        yield f"the gradient's norm is {found.norm():.3g}, not {wanted.max_norm:g}", advice
    elif number:
        yield "the second step has the first one's gradient, too", "zero_grad after every step"
    else:
        advice = "the mean over real labels of the smoothed cross-entropy; it takes plain logits"
        yield "the gradient is that of another loss", advice


def _of_row(row: dict[str, float], log: Log, wanted: _Wanted) -> Iterator[Fault]:
    """Faults of what the step reports."""
    expected = {
        "loss": (
            wanted.loss,
            "the mean over real labels of the smoothed cross-entropy, by .item()",
        ),
        "gradient_norm": (wanted.norm, "what clip returns: the norm before clipping"),
        "learning_rate": (log.rate, "the rate of this step, read before the schedule changes it"),
        "accuracy": (wanted.accuracy, "the share of real labels whose logit is the largest"),
    }
    for name, (value, advice) in expected.items():
        found = row.get(name)
        if not isinstance(found, float) or not abs(found - value) < TOLERANCE:
            shown = f"{found:.4g}" if isinstance(found, float) else f"a {type(found).__name__}"
            yield f"reports {name} {shown}, but it is {value:.4g}", advice
