"""Hidden tests of exercise 3.9: one training step, with every call logged."""

import torch

from autograder.a3.tensors import normal
from grader.checking.question import question

READ = "§5.3, §5.4; exercise 3.9"
ORDER = "loss, backward, clip, optimizer, schedule, zero_grad: each once"
IDS = torch.tensor([[1, 2, 3], [4, 4, 0], [5, 1, 1], [2, 6, 7]])
LABELS = torch.tensor([0, 1, 1, 0])
# The logits are the mean of three-dimensional word vectors; the model logs its mode.
MODEL = """type('Model', (torch.nn.EmbeddingBag,), {'forward': lambda self, ids: (events.append(
    'training mode' if self.training else 'evaluation mode'),
    (torch.nn.EmbeddingBag.forward(self, ids), None))[1]})(8, 3)"""
LOGGED = "'{0}': lambda self, *a, **k: (events.append('{0}'), {1}.{0}(self, *a, **k))[-1]"
OPTIMIZER = (  # plain gradient descent
    f"type('Optimizer', (torch.optim.SGD,), {{{LOGGED.format('step', 'torch.optim.SGD')}, "
    f"{LOGGED.format('zero_grad', 'torch.optim.SGD')}}})(model.parameters(), lr=0.5)"
)
# Halves the rate after each step; torch calls `step` once when it is made.
SCHEDULE = """(type('Schedule', (torch.optim.lr_scheduler.LambdaLR,), {'step': lambda self, *a:
    (events.append('schedule'), torch.optim.lr_scheduler.LambdaLR.step(self, *a))[-1]
    })(optimizer, lambda n: 0.5 ** n), events.clear())[0]"""
BACKWARD = "lambda loss: (events.append('backward'), loss.backward())[-1]"
CLIP = """lambda parameters, max_norm: (events.append('clip'),
    torch.nn.utils.clip_grad_norm_(list(parameters), max_norm))[-1]"""


class Run:
    """A model, an optimizer and a schedule on the other side, and the log of their calls."""

    def __init__(self, its, rng):
        self.its, self.events, self.weight = its, its.make("[]"), 2 * normal(rng, 8, 3)
        self.model = its.make(MODEL, events=self.events)
        self.model.load_state_dict({"weight": self.weight})
        self.optimizer = its.make(OPTIMIZER, events=self.events, model=self.model)
        self.schedule = its.make(SCHEDULE, events=self.events, optimizer=self.optimizer)

    def step(self, labels=LABELS, **options):
        objects = (self.optimizer, self.schedule)
        return self.its.training_step(self.model, IDS, labels, *objects, **options)

    def weights(self, **options):
        self.step(**options)
        return self.model.state_dict()["weight"]


@question("3.9", weight=3, advice=ORDER, read=READ)
def test_one_step(its, rng):
    """The weights after a step that clips and two that do not, and the smoothed losses."""
    clipped, free = Run(its, rng), Run(its, rng)
    return {
        "the weights after a step with max_norm=0.05": clipped.weights(max_norm=0.05),
        "after one with max_norm=100": free.weights(max_norm=100.0),
        "after the second": free.weights(max_norm=100.0),
        "the loss with label_smoothing=0": free.step(label_smoothing=0.0)["loss"],
    }


@question("3.9", weight=2, advice=ORDER, read=READ)
def test_order(its, rng):
    """In training mode: backward, clip, optimizer, schedule, each once, with given functions."""
    run, own = Run(its, rng), {"backward": BACKWARD, "clip": CLIP}
    run.model.eval()
    run.step(**{name: its.make(source, events=run.events) for name, source in own.items()})
    seen = run.events.get()
    *between, after = " ".join(seen).split("step")
    return {
        "what was called": [one for one in seen if one != "zero_grad"],
        "`optimizer.zero_grad()` is called after the steps": "zero_grad" in after,
        "and not between backward and them": "zero_grad"
        not in "".join(between).split("backward")[-1],
    }


@question("3.9", weight=2, advice="floats: `.item()` or `float(…)`", read="the docstring of 3.9")
def test_returned_values(its, rng):
    """Loss, gradient norm before clipping, this step's rate and the batch's accuracy, as floats."""
    run = Run(its, rng)
    guesses = run.weight[IDS].mean(1).argmax(-1)  # so three of four are right
    row = run.step(labels=(guesses + torch.tensor([1, 0, 0, 0])) % 3, max_norm=0.05)
    return row | {f"the type of {name}": type(value).__name__ for name, value in row.items()}
