"""The visible checks of exercise 4.7: teacher forcing and one step of training."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


# A model of one matrix: logits from the last token read and the mean of the source.
TOY = ("type('Toy', (torch.nn.Embedding,), {'forward': lambda self, source_ids, target_ids: "
       "(self.weight[target_ids] + self.weight[source_ids].mean(1, keepdim=True), None)})(8, 8)")
SOURCE = torch.tensor([[4, 5, 0], [6, 7, 5]])
TARGETS = torch.tensor([[2, 5, 6, 3], [2, 7, 3, 0]])
READ, WANTED = torch.tensor([[2, 5, 6], [2, 7, 3]]), torch.tensor([[5, 6, 3], [7, 3, 0]])
# torch's loss, kept from before the exercise forbids it
CROSS_ENTROPY = torch.nn.functional.cross_entropy


@exercise("4.7")
def test_shift(student):
    """START a b END: read START a b, want a b END."""
    read, wanted = expect.parts(student.shift_targets(TARGETS), 2, read="exercise 4.7",
                                otherwise="return (decoder_input, labels)")
    expect.close(
        read, READ, what="read",
        otherwise="all tokens but the last", read="§3.1")
    expect.close(
        wanted, WANTED, what="wanted",
        otherwise="the token after each one that is read", read="§3.1")


class Trained:
    """One call of the student's step on the toy model, and the expected result."""

    def __init__(self, student, pad_id=0, **options):
        self.pad_id, self.before = pad_id, 2 * draw(3, 8, 8)
        self.model = student.make(TOY)
        self.model.load_state_dict({"weight": self.before})
        self.model.eval()
        self.optimizer = student.make("torch.optim.SGD(model.parameters(), lr=4.0)",
                                      model=self.model)
        schedule = student.make("torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 0.5 ** n)",
                                optimizer=self.optimizer)
        self.row = student.translation_step(
            self.model, SOURCE, TARGETS, self.optimizer, schedule, pad_id=pad_id, **options)
        self.after = self.model.state_dict()["weight"]

    def loss(self, weight, smoothing=0.1, read=READ, wanted=WANTED):
        logits = weight[read] + weight[SOURCE].mean(1, keepdim=True)
        return CROSS_ENTROPY(logits.flatten(0, 1), wanted.flatten(), label_smoothing=smoothing,
                             ignore_index=self.pad_id)

    def gradient(self, *options):
        weight = self.before.clone().requires_grad_()
        return torch.autograd.grad(self.loss(weight, *options), weight)[0]


@exercise("4.7", weight=2, after=["shift_targets"])
def test_the_step(student):
    """The parameters move by the clipped gradient, at this step's rate."""
    trained = Trained(student, max_norm=0.1)

    def change(*options, rate=4.0, clipped=True):
        gradient = trained.gradient(*options)
        return -rate * gradient * (0.1 / gradient.norm() if clipped else 1.0)

    expect.close(
        trained.after - trained.before, change(), atol=1e-5, what="the change of the parameters",
        otherwise="shift, predict, loss, gradients, clip, optimizer, schedule", read="exercise 4.7")
    expect.close(trained.optimizer.get("param_groups")[0]["lr"], 2.0, read="§5.3",
                 what="the rate of the next step", )


@exercise("4.7", after=["shift_targets"])
def test_what_it_returns(student):
    """Loss, norm before clipping, this step's rate and accuracy over real tokens, as floats."""
    trained = Trained(student, max_norm=0.1)
    keys = ["accuracy", "gradient_norm", "learning_rate", "loss"]
    expect.equal(sorted(trained.row) if isinstance(trained.row, dict) else trained.row, keys,
                 what="the keys of the dict", read="exercise 4.7")
    logits = trained.before[READ] + trained.before[SOURCE].mean(1, keepdim=True)
    right = (logits.argmax(-1) == WANTED).double()
    want = {"loss": trained.loss(trained.before), "learning_rate": 4.0,
            "gradient_norm": trained.gradient().norm(), "accuracy": right[WANTED != 0].mean()}
    causes = {"loss": {"the loss without label smoothing: return the smoothed one":
                       trained.loss(trained.before, 0.0)},
              "learning_rate": {"this is the next step's: read it before the schedule steps": 2.0},
              "gradient_norm": {"the norm after clipping": 0.1},
              "accuracy": {"padding is counted": right.mean()}}
    for key, value in want.items():
        got = trained.row[key]
        expect.true(type(got) is float, expected=f"{key}: a float", got=type(got).__name__,
                    otherwise="use float(…), or .item() of a tensor", read="exercise 4.7")
        expect.close(got, float(value), atol=1e-5, what=key,                     read="exercise 4.7")


@exercise("4.7", after=["shift_targets"])
def test_what_the_loop_passes(student):
    """The given `backward` and `clip` are used; gradients are cleared, in training mode."""
    double = student.make("lambda loss: (2 * loss).backward()")
    forty = student.make("lambda parameters, max_norm: torch.nn.utils.clip_grad_norm_("
                         "parameters, max_norm) * 0 + 40.0")
    trained = Trained(student, backward=double, max_norm=1e6)
    expect.close(trained.row["gradient_norm"], 2 * trained.gradient().norm(), rtol=1e-4,
                 what="the norm with a `backward` that doubles the loss",
                 read="exercise 4.7")
    expect.close(Trained(student, clip=forty).row["gradient_norm"], 40.0, read="exercise 4.7",
                 what="the norm with a `clip` that always returns 40",
                 otherwise="report what the given `clip` returns")
    left = trained.model.get("weight.grad")
    expect.true(left is None or not left.any(), expected="no gradient after the step",
                got="a gradient that the next step would add to", read="exercise 4.7")
    expect.equal(trained.model.get("training"), True, what="model.training", read="§5.4",
                 otherwise="call model.train(): dropout is active only in training mode")


@exercise("4.7", after=["shift_targets"])
def test_padding_has_its_own_number(student):
    """`pad_id` reaches the loss and the accuracy."""
    trained = Trained(student, pad_id=3)
    expect.close(trained.row["loss"], float(trained.loss(trained.before)), atol=1e-5,
                 what="the loss with pad_id=3", otherwise="pass pad_id on", read="exercise 4.7")
