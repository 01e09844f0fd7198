"""The visible checks of exercise 3.9: one training step."""

import torch

from grader.checking.question import question

SENTENCES = torch.tensor([[5, 7, 6, 3], [4, 8, 0, 0], [1, 1, 2, 5]])
# A bag of words for a model: (mean of the words' logits, no weights).
TOY = ("type('Toy', (torch.nn.Embedding,), {'forward': lambda self, token_ids: "
       "(torch.nn.functional.embedding(token_ids, self.weight).mean(1), None)})(9, 2)")  # fmt: skip


class Trained:
    """A toy model, and what `training_step` returned for it."""

    def __init__(self, its, **options):
        self.model = its.make(TOY)
        self.model.load_state_dict({"weight": torch.arange(18.0).reshape(9, 2) * 5 % 7 - 3})
        self.model.eval()
        sgd, halved = "torch.optim.SGD(m.parameters(), lr=2.0)", "lambda n: 0.5 ** n"
        self.optimizer = its.make(sgd, m=self.model)
        schedule = its.make(f"torch.optim.lr_scheduler.LambdaLR(o, {halved})", o=self.optimizer)
        given = (self.model, SENTENCES, torch.tensor([1, 0, 1]), self.optimizer, schedule)
        self.row = its.training_step(*given, **options)


@question("3.9", weight=2, advice="loss, backward, clip, optimizer, schedule", read="exercise 3.9")
def test_the_step(its):
    """The parameters move by the clipped gradient at this step's rate."""
    trained = Trained(its, max_norm=0.1, label_smoothing=0.3)
    after, rate = (
        trained.model.state_dict()["weight"],
        trained.optimizer.get("param_groups.0")["lr"],
    )
    return {"the parameters": after, "the rate of the next step": rate}


@question("3.9", advice="read the rate before the schedule steps", read="exercise 3.9")
def test_what_it_returns(its):
    """Loss, norm before clipping, the rate of this step and the batch's accuracy, as floats."""
    row = Trained(its, max_norm=0.1).row
    return row | {f"the type of {name}": type(value).__name__ for name, value in row.items()}


@question(
    "3.9",
    weight=2,
    advice="call `backward`; clear at the end; `model.train()`",
    read="exercise 3.9",
)
def test_what_the_loop_passes(its):
    """`backward` and `clip` are used, gradients cleared at the end; the model trains."""
    trained = Trained(its, backward=its.make("lambda loss: (3 * loss).backward()"))
    clip = its.make("lambda parameters, max_norm: torch.tensor(100 * max_norm)")
    left = trained.model.get("weight.grad")
    return {
        "gradient_norm, with a `backward` that triples the loss": trained.row["gradient_norm"],
        "gradient_norm, with a `clip` of its own": Trained(its, clip=clip).row["gradient_norm"],
        "no gradient is left after the step": left is None or not left.any(),
        "the model is in training mode": trained.model.get("training"),
    }
