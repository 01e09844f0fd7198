"""Hidden tests of exercise 4.7: shifted targets, and one training step on pairs."""

import torch

from autograder.a4.drawn_weights import normal
from grader.checking.question import question

READ, DOCSTRING = "§3.1, §5.3, §5.4; exercise 4.7", "the docstring of 4.7"
SHIFT = "all but the last token are read, all but the first are wanted: [:, :-1] and [:, 1:]"
WAY = "shift, loss, backward, clip, optimizer, schedule, zero_grad: each once"
SMOOTHED = "label_smoothed_loss(logits, wanted, label_smoothing, pad_id)"
AFTER = ["shift_targets"]
SOURCE = torch.tensor([[5, 1, 6], [4, 7, 0], [1, 0, 0]])
TARGET = torch.tensor([[2, 5, 6, 7, 3], [2, 4, 3, 0, 0], [2, 1, 7, 3, 0]])
SUCCESSOR = [0, 3, 5, 0, 7, 6, 7, 3]  # the most likely one of each word; that of padding is padding
# Trains a model whose logits are the row of the word read plus the mean of the source's rows, and
# that is in evaluation mode, with a rate of 1/2 that halves.
RUN = """
import functools, torch

class Model(torch.nn.Embedding):
    def forward(self, source_ids, target_ids):
        self.events.append("training mode" if self.training else "evaluation mode")
        rows = super().forward
        return rows(target_ids) + rows(source_ids).mean(1, keepdim=True), None

def run(step, weight, source, target, times=1, watched=False, **options):
    def log(name, call):
        return functools.wraps(call)(lambda *a, **k: (model.events.append(name), call(*a, **k))[1])
    model = Model(8, 8).eval()
    model.load_state_dict({"weight": weight})
    model.events = []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 0.5**n)
    optimizer.step, schedule.step = log("optimizer", optimizer.step), log("schedule", schedule.step)
    if watched:
        options["backward"] = log("backward", torch.Tensor.backward)
        options["clip"] = log("clip", torch.nn.utils.clip_grad_norm_)
    for _ in range(times):
        found = step(model, source, target, optimizer, schedule, **options)
    left = 0.0 if model.weight.grad is None else float(model.weight.grad.norm())
    return found, model.weight.detach(), model.events, left
"""


def train(its, rng, source=SOURCE, target=TARGET, **options):
    """What the last step returned, the weights, what was called, and the norm of gradients left."""
    run = its.make("(exec(code, scope := {}), scope['run'])[1]", code=RUN)
    weight = normal(rng, 8, 8) + 3 * torch.eye(8)[SUCCESSOR]
    return run(its.translation_step, weight, source, target, **options)


@question("4.7", weight=2, advice=SHIFT, read=READ)
def test_shift(its, rng):
    """All but the last token are read, all but the first are wanted."""
    found = {}
    for ids in (TARGET, torch.tensor([[2, 3]]), torch.from_numpy(rng.permutation(18))[None]):
        call, what = its.call(its.shift_targets, ids), f" of {ids.shape[1]} tokens"
        read, wanted = call.value
        found |= {f"read{what}": read, f"wanted{what}": wanted, f"changed{what}": call.changed}
    return found


@question("4.7", weight=3, after=AFTER, advice=WAY, read=READ)
def test_one_step(its, rng):
    """The weights after one step, with a max_norm that clips and one that does not."""
    return {f"max_norm={norm}": train(its, rng, max_norm=norm)[1] for norm in (0.05, 100.0)}


@question("4.7", after=AFTER, advice=SMOOTHED, read="§5.4, Label Smoothing", atol=1e-5)
def test_label_smoothing(its, rng):
    """The loss uses `label_smoothing`, 0.1 by default."""
    options = ({}, {"label_smoothing": 0.3})
    return {f"loss with {given}": train(its, rng, **given)[0]["loss"] for given in options}


@question("4.7", weight=4, after=AFTER, advice="clear the gradients once per step", read=READ)
def test_two_steps(its, rng):
    """A second step uses only its own gradients and the schedule's next rate."""
    return {"the weights": train(its, rng, times=2, max_norm=100.0)[1]}


@question("4.7", after=AFTER, advice=WAY, read=READ)
def test_order(its, rng):
    """backward, clip, optimizer, schedule, each once; the given functions are used."""
    events = train(its, rng, watched=True)[2]
    return {"calls": ["the model" if "mode" in event else event for event in events]}


@question("4.7", weight=2, after=AFTER, advice="`model.train()`, then call the model", read=READ)
def test_training_mode(its, rng):
    """The step puts the model into training mode, even after an evaluation."""
    return {"the forward pass": train(its, rng)[2][0]}


@question("4.7", weight=2, after=AFTER, advice=SMOOTHED, read=DOCSTRING, atol=1e-5)
def test_returned_values(its, rng):
    """Loss, gradient norm before clipping, this step's rate and the accuracy, as floats."""
    found = train(its, rng, max_norm=0.05)[0]
    return found | {f"type of {name}": type(value).__name__ for name, value in found.items()}


@question("4.7", after=AFTER, advice="right real tokens / real tokens", read=DOCSTRING)
def test_accuracy(its, rng):
    """The fraction of real tokens with the largest logit; padding is left out entirely."""
    # many words, so that no two mistakes have the same accuracy by chance
    place, end = torch.arange(11), torch.from_numpy(rng.integers(2, 11, size=(24, 1)))
    words = torch.from_numpy(rng.integers(4, 8, size=(24, 11))).where(place > 0, 2)
    target = words.where(place < end, 3 * (place == end))
    source = torch.from_numpy(rng.integers(4, 8, (24, 3)))
    return {"accuracy": train(its, rng, source, target)[0]["accuracy"]}


@question("4.7", after=AFTER, advice=SMOOTHED, read=DOCSTRING, atol=1e-5)
def test_another_pad_id(its, rng):
    """`pad_id` is passed on: padding counts neither in the loss nor in the accuracy."""
    target = torch.tensor([6, 1, 2, 3, 4, 5, 0, 7])[TARGET]
    found = train(its, rng, target=target, pad_id=6)[0]
    return {f"{name} with pad_id = 6": found[name] for name in ("loss", "accuracy")}


@question(
    "4.7",
    after=AFTER,
    beside=["test_one_step", "test_returned_values", "test_label_smoothing"],
    advice="`optimizer.zero_grad()` at the end",
    read=READ,
)
def test_no_gradient_is_left(its, rng):
    """The gradients are cleared at the end of the step."""
    return {"the norm of the gradients after the step": train(its, rng)[3]}
