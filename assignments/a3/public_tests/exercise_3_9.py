"""The visible checks of exercise 3.9: one training step."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


SENTENCES = torch.tensor([[5, 7, 6, 3], [4, 8, 0, 0]])  # two real tokens in the second
# A bag of words for a model: (mean of the words' logits, no weights).
TOY = ("type('Toy', (torch.nn.Embedding,), {'forward': lambda self, token_ids: "
       "(torch.nn.functional.embedding(token_ids, self.weight).mean(1), None)})(9, 2)")
LABELS = torch.tensor([1, 0])


class Trained:
    """One call of the student's `training_step` on a toy model, and what it should have done."""

    def __init__(self, student, **options):
        self.model, self.before = student.make(TOY), 3 * draw(0, 9, 2)
        self.model.load_state_dict({"weight": self.before})
        self.model.eval()
        self.optimizer = student.make("torch.optim.SGD(model.parameters(), lr=2.0)",
                                      model=self.model)
        schedule = student.make("torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 0.5 ** n)",
                                optimizer=self.optimizer)
        self.row = student.training_step(
            self.model, SENTENCES, LABELS, self.optimizer, schedule, **options)
        self.after = self.model.state_dict()["weight"]

    def loss(self, smoothing, weight):
        logits = torch.nn.functional.embedding(SENTENCES, weight).mean(1)
        return torch.nn.functional.cross_entropy(logits, LABELS, label_smoothing=smoothing)

    def gradient(self, smoothing=0.1):
        weight = self.before.clone().requires_grad_()
        return torch.autograd.grad(self.loss(smoothing, weight), weight)[0]


@exercise("3.9", weight=2)
def test_the_step(student):
    """The parameters move by the clipped gradient at this step's rate."""
    trained = Trained(student, max_norm=0.1)
    gradient = trained.gradient()
    norm = gradient.norm()
    expect.close(
        trained.after - trained.before, -2 * gradient * 0.1 / norm, atol=1e-5, what="the change",
        otherwise="loss, backward, clip, optimizer, schedule, in this order", read="exercise 3.9")
    expect.close(
        trained.optimizer.get("param_groups")[0]["lr"], 1.0, what="the rate of the next step",
        read="§5.3")


@exercise("3.9")
def test_what_it_returns(student):
    """Loss, norm before clipping, the rate of this step and the batch's accuracy, as floats."""
    trained = Trained(student, max_norm=0.1)
    expect.equal(
        sorted(trained.row) if isinstance(trained.row, dict) else trained.row,
        ["accuracy", "gradient_norm", "learning_rate", "loss"], what="the keys of the dict",
        read="exercise 3.9")
    guesses = trained.before[SENTENCES].mean(1).argmax(-1)
    want = {"loss": float(trained.loss(0.1, trained.before)), "learning_rate": 2.0,
            "gradient_norm": float(trained.gradient().norm()),
            "accuracy": float((guesses == LABELS).float().mean())}
    causes = {"gradient_norm": {"this is the norm after clipping": 0.1},
              "learning_rate": {"the next step's: read it before the schedule steps": 1.0},
              "loss": {"the labels are not smoothed": float(trained.loss(0.0, trained.before))},
              "accuracy": {"this is in percent": 100 * want["accuracy"]}}
    for key, value in want.items():
        got = trained.row[key]
        expect.true(type(got) is float, expected=f"{key}: a float", got=type(got).__name__,
                    otherwise="float(…), or .item() of a tensor", read="exercise 3.9")
        expect.close(got, value, atol=1e-5, what=key, read="exercise 3.9")


@exercise("3.9")
def test_what_the_loop_passes(student):
    """`backward` is used, the gradients are cleared at the end, the model is in training mode."""
    trained = Trained(student, backward=student.make("lambda loss: (3 * loss).backward()"))
    expect.close(
        trained.row["gradient_norm"], 3 * trained.gradient().norm(),
        what="gradient_norm, with a `backward` that triples the loss",
        otherwise="call backward(loss), then clip(model.parameters(), max_norm)",
        read="exercise 3.9")
    left = trained.model.get("weight.grad")
    expect.true(left is None or not left.any(), expected="no gradient after the step",
                got=f"a gradient of norm {0 if left is None else float(left.norm()):.3g}",
                because="the gradient is not cleared, and the next step would add to it: clear "
                        "it at the end", read="exercise 3.9")
    expect.equal(trained.model.get("training"), True, what="model.training",
                 because="the model is still in evaluation mode: call model.train() first",
                 read="exercise 3.9")


@exercise("3.9")
def test_clip_is_used(student):
    """The given `clip` is used, and the norm it returns is reported."""
    clip = student.make("lambda parameters, max_norm: torch.tensor(100 * max_norm)")
    trained = Trained(student, max_norm=0.5, clip=clip)
    expect.close(
        trained.row["gradient_norm"], 50.0, what="gradient_norm, with a `clip` that returns 50",
        otherwise="clip(model.parameters(), max_norm)", read="exercise 3.9")
