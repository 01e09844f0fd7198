"""The visible checks of exercise 4.7: teacher forcing and one step of training."""

from functools import partial

import numpy as np
import torch

from grader.checking.question import question

ask = partial(question, "4.7", builds_on=["shift_targets"])
# A model of one matrix: logits from the last token read and the mean of the source.
TOY = (
    "type('Toy', (torch.nn.Embedding,), {'forward': lambda self, source_ids, target_ids: "
    "(self.weight[target_ids] + self.weight[source_ids].mean(1, keepdim=True), None)})(8, 8).eval()"
)
HALVED = "torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 0.5 ** n)"
SOURCE = torch.tensor([[4, 5, 0], [6, 7, 5]])
TARGETS = torch.tensor([[2, 5, 6, 3], [2, 7, 3, 0]])
WAY = "shift, predict, loss, gradients, clip, optimizer, schedule"


def trained(its, **options):
    """What one step on the toy model returns, and the model and the optimizer after it."""
    model = its.make(TOY)
    weight = 2 * torch.from_numpy(np.random.RandomState(0).randn(8, 8)).float()
    model.load_state_dict({"weight": weight})
    optimizer = its.make("torch.optim.SGD(model.parameters(), lr=4.0)", model=model)
    given = model, SOURCE, TARGETS, optimizer, its.make(HALVED, optimizer=optimizer)
    return its.translation_step(*given, **options), model, optimizer


@question("4.7", advice="all tokens but the last; the token after each of them", read="§3.1")
def test_shift(its):
    """START a b END: read START a b, want a b END."""
    read, wanted = its.shift_targets(TARGETS)
    return {"read": read, "wanted": wanted}


@ask(weight=4, advice=f"{WAY}; pass pad_id and label_smoothing on; return floats", read="§5.3")
def test_the_step(its):
    """Clipped gradients move the parameters at this step's rate, which is returned with others."""
    found, model, optimizer = trained(its, max_norm=0.1)
    other, smooth = trained(its, pad_id=3)[0], trained(its, label_smoothing=0.5)[0]
    return found | {
        "types": [type(found[name]).__name__ for name in sorted(found)],
        "weights of tokens 0 to 3": model.state_dict()["weight"][:4],
        "next rate": optimizer.get("param_groups")[0]["lr"],
        "loss with pad_id=3": other["loss"],
        "accuracy with pad_id=3": other["accuracy"],
        "loss with label_smoothing=0.5": smooth["loss"],
    }


@ask(advice="report what the given `clip` returns")
def test_what_the_loop_passes(its):
    """The given `backward` and `clip` are used; gradients are cleared, in training mode."""
    double = its.make("lambda loss: (2 * loss).backward()")
    forty = its.make("lambda given, norm: torch.nn.utils.clip_grad_norm_(given, norm) * 0 + 40.0")
    found, model, _ = trained(its, backward=double, max_norm=1e6)
    left, norm = model.get("weight.grad"), "gradient_norm"
    return {
        "the norm with a `backward` that doubles the loss": found[norm],
        "the norm with a `clip` that always returns 40": trained(its, clip=forty)[0][norm],
        "no gradient is left after the step": left is None or not left.any(),
        "the model is in training mode": model.get("training"),
    }
