"""Hidden tests of exercise 4.7: shifted targets, and one training step on pairs."""

from functools import partial

import torch

from autograder.a4.drawn_weights import normal
from grader.checking.question import question

READ = "§3.1, §5.3, §5.4; exercise 4.7"
ask = partial(question, "4.7", read=READ)
SHIFT = "all but the last token are read, all but the first are wanted: [:, :-1] and [:, 1:]"
WAY = "shift, loss, backward, clip, optimizer, schedule, zero_grad: each once"
SMOOTHED = "label_smoothed_loss(logits, wanted, label_smoothing, pad_id); right / real tokens"
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

def run(step, weight, source, target, times=1, own=0, **options):
    def log(name, call):
        @functools.wraps(call)
        def logged(*a, **k):
            given = [str(value) for value in (*a, *k.values()) if isinstance(value, float)]
            model.events.append(" ".join([name, *given[:1]]))
            return call(*a, **k)
        return logged
    model = Model(8, 8).eval()
    model.load_state_dict({"weight": weight})
    model.events, model.pad_id = [], own
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 0.5**n)
    optimizer.step, schedule.step = log("optimizer", optimizer.step), log("schedule", schedule.step)
    options["backward"] = log("backward", torch.Tensor.backward)
    options["clip"] = log("clip", torch.nn.utils.clip_grad_norm_)
    for _ in range(times):
        found = step(model, source, target, optimizer, schedule, **options)
    left = model.weight.grad is not None and bool(model.weight.grad.any())
    return found, model.weight.detach(), [*model.events, "gradients are left" if left else "none"]
"""


def train(its, rng, words=range(8), **options):
    """The last step's result, the weights, and the recorded calls; `words` renames the targets'.

    There are many words, so that no two mistakes have the same accuracy by chance.
    """
    place, end = torch.arange(11), torch.from_numpy(rng.integers(2, 11, size=(24, 1)))
    drawn = torch.from_numpy(rng.integers(4, 8, size=(24, 11))).where(place > 0, 2)
    target = torch.tensor(words)[drawn.where(place < end, 3 * (place == end))]
    run = its.make("(exec(code, scope := {}), scope['run'])[1]", code=RUN)
    weight = normal(rng, 8, 8) + 3 * torch.eye(8)[SUCCESSOR]
    return run(its.translation_step, weight, drawn[:, 1:4], target, **options)


@ask(weight=2, advice=SHIFT)
def test_shift(its, rng):
    """All but the last token are read, all but the first are wanted."""
    found = {}
    for shape in ((3, 5), (1, 2), (1, 18)):
        ids = torch.from_numpy(rng.permutation(shape[0] * shape[1]).reshape(shape))
        read, wanted = its.shift_targets(ids)
        found |= {f"read of {shape[1]} tokens": read, f"wanted of {shape[1]} tokens": wanted}
    return found


@ask(weight=4, builds_on=["shift_targets"], advice=f"{WAY}; clear the gradients once per step")
def test_one_step(its, rng):
    """The weights after a step that clips, one that does not, and two with the schedule's rates."""
    cases = {"max_norm": 0.05}, {"max_norm": 100.0}, {"max_norm": 100.0, "times": 2}
    return {f"the weights with {case}": train(its, rng, **case)[1] for case in cases}


@ask(weight=4, builds_on=["shift_targets"], advice=f"{WAY}, after model.train()")
def test_order(its, rng):
    """Training mode, the given functions, optimizer and schedule, each once; gradients cleared."""
    return {"what happens, and the gradients left": train(its, rng)[2]}


@ask(weight=4, builds_on=["shift_targets"], advice=SMOOTHED, atol=1e-5)
def test_returned_values(its, rng):
    """Loss, norm before clipping, this step's rate and accuracy, as floats; without padding."""
    found = train(its, rng, max_norm=0.05)[0]
    smooth = train(its, rng, label_smoothing=0.0)[0]["loss"]
    words = [6, 1, 2, 3, 4, 5, 0, 7]
    other = train(its, rng, words, pad_id=6)[0]
    own = train(its, rng, words, own=6)[0]["loss"]
    types = {f"type of {name}": type(value).__name__ for name, value in found.items()}
    padded = {f"{name} with pad_id = 6": other[name] for name in ("loss", "accuracy")}
    padded["loss of a model whose pad_id is 6"] = own
    padded["loss of it with pad_id = 0"] = train(its, rng, own=6, pad_id=0)[0]["loss"]
    return found | types | padded | {"loss with label_smoothing=0": smooth}
