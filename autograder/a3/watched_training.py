"""A model, an optimizer and a schedule that log what one training step does to them.

All three live on the student's side; `gradient` and `stepped` compute the expected results.
"""

import torch
from torch.nn.functional import cross_entropy

from autograder.a3.answers import answered, normal
from grader.checking import expect
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§5.3, §5.4; exercise 3.9"
IDS = torch.tensor([[1, 2, 3], [4, 4, 0], [5, 1, 1], [2, 6, 7]])
LABELS = torch.tensor([0, 1, 1, 0])
RATE = 0.5
# The logits are the mean of three-dimensional word vectors; the model logs its mode.
MODEL = (
    "type('Model', (torch.nn.EmbeddingBag,), {'forward': lambda self, ids: (events.append("
    "'training mode' if self.training else 'evaluation mode'), "
    "(torch.nn.EmbeddingBag.forward(self, ids), None))[1]})(8, 3)"
)
# Plain gradient descent; it logs `zero_grad` and `step`.
OPTIMIZER = (
    "type('Optimizer', (torch.optim.SGD,), {"
    "'step': lambda self, *a, **k: "
    "(events.append('optimizer'), torch.optim.SGD.step(self, *a, **k))[-1], "
    "'zero_grad': lambda self, *a, **k: "
    "(events.append('zero_grad'), torch.optim.SGD.zero_grad(self, *a, **k))[-1]"
    "})(model.parameters(), lr=rate)"
)
# Halves the rate after each step; torch calls `step` once when it is made.
SCHEDULE = (
    "(type('Schedule', (torch.optim.lr_scheduler.LambdaLR,), {'step': lambda self, *a: "
    "(events.append('schedule'), torch.optim.lr_scheduler.LambdaLR.step(self, *a))[-1]"
    "})(optimizer, lambda n: 0.5 ** n), events.clear())[0]"
)
BACKWARD = "lambda loss: (events.append('backward'), loss.backward())[-1]"
CLIP = (
    "lambda parameters, max_norm: (events.append('clip'), "
    "torch.nn.utils.clip_grad_norm_(list(parameters), max_norm))[-1]"
)


class Run:
    """A model, an optimizer and a schedule on the student's side, and the log of their calls."""

    model_source, shape = MODEL, (8, 3)

    def __init__(self, student, rng):
        self.student, self.weight = student, 2 * normal(rng, *self.shape)
        self.events = student.make("[]")
        self.model = student.make(self.model_source, events=self.events)
        self.model.load_state_dict({"weight": self.weight})
        self.optimizer = student.make(OPTIMIZER, events=self.events, model=self.model, rate=RATE)
        self.schedule = student.make(SCHEDULE, events=self.events, optimizer=self.optimizer)

    def step(self, ids=IDS, labels=LABELS, **options):
        return answered(
            lambda: self.student.training_step(
                self.model, ids, labels, self.optimizer, self.schedule, **options
            ),
            "`model(token_ids)` returns (logits, weights); `clip(parameters, max_norm)` the norm",
            READ,
        )

    def watched(self):
        return {
            "backward": self.student.make(BACKWARD, events=self.events),
            "clip": self.student.make(CLIP, events=self.events),
        }

    def seen(self):
        return self.events.get()


def gradient(weight, labels=LABELS, smoothing=0.1, reduction="mean"):
    """The loss, its gradient and the logits."""
    leaf = weight.clone().requires_grad_()
    logits = leaf[IDS].mean(1)
    loss = cross_entropy(logits, labels, label_smoothing=smoothing, reduction=reduction)
    (found,) = torch.autograd.grad(loss, leaf)
    return loss.detach(), found, logits.detach()


def stepped(weight, max_norm, rate=RATE, smoothing=0.1, reduction="mean"):
    """The weights after one step."""
    _, found, _ = gradient(weight, smoothing=smoothing, reduction=reduction)
    return weight - rate * found * min(1.0, max_norm / float(found.norm()))


def called_in_order(seen, read):
    """Check for backward, clip, optimizer, schedule, each once, after one forward pass."""
    order = [
        event for event in seen if event not in ("zero_grad", "training mode", "evaluation mode")
    ]
    wanted = ["backward", "clip", "optimizer", "schedule"]
    expect.equal(
        order,
        wanted,
        because=_wrong_order(order),
        otherwise="loss, backward, clip, optimizer, schedule: each once",
        read=read,
        what="what was called",
    )
    between = seen[seen.index("backward") : seen.index("optimizer")]
    expect.true(
        "zero_grad" not in between,
        expected="gradients that still exist when the optimizer steps",
        got=" → ".join(seen),
        because="the gradients are cleared before they are used",
        read=read,
    )
    modes = [event for event in seen if event.endswith("mode")]
    expect.true(
        len(modes) == 1,
        expected="one forward pass",
        got=f"{len(modes)}",
        read=read,
    )


def _wrong_order(order):
    """The mistake that the order of the calls shows, if any."""
    for name, instead in (("backward", "`loss.backward()`"), ("clip", "your own clipping")):
        if name not in order:
            return MISTAKE.saying(
                f"`{name}` is passed in by the training loop: call it, not {instead}"
            )
    if "optimizer" not in order:
        return ""
    if order.index("clip") > order.index("optimizer"):
        return MISTAKE.step_clipped_too_late
    if "schedule" in order and order.index("schedule") < order.index("optimizer"):
        return "the schedule steps before the optimizer"
    return ""


def in_training_mode(seen, read):
    """Check that the model was in training mode during the forward pass."""
    modes = [event for event in seen if event.endswith("mode")]
    expect.equal(
        modes[:1],
        ["training mode"],
        otherwise="call the model: `model(token_ids)`",
        read=read,
        what="the mode of the forward pass",
    )


def returned(result, read):
    """The returned dict, checked for its four floats."""
    names = ["accuracy", "gradient_norm", "learning_rate", "loss"]
    expect.true(
        isinstance(result, dict) and set(names) <= set(result),
        expected=f"a dict with {', '.join(names)}",
        got=f"{sorted(result)}" if isinstance(result, dict) else type(result).__name__,
        otherwise="return the keys that the docstring names",
        read=read,
    )
    for name in names:
        expect.true(
            isinstance(result[name], float),
            expected=f"{name} as a float",
            got=type(result[name]).__name__,
            otherwise="`.item()` or `float(…)`: a tensor would keep the whole graph alive",
            read=read,
        )
    return result


def cleared(left, at_the_start, read):
    """Check that the step leaves no gradient: `left` is None or a zero tensor.

    `at_the_start`: a second step was unaffected by `left`, so gradients are cleared somewhere.
    """
    size = 0.0 if left is None else float(left.norm())
    expect.true(
        size == 0.0,
        expected="no gradient after the step",
        got=f"a gradient of norm {size:.3g}",
        otherwise="`optimizer.zero_grad()` at the end",
        read=read,
    )
