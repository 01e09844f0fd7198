"""Hidden tests of exercise 3.17: how the weights of linear layers begin."""

import math

import torch

from autograder.suites.a3.answers import answered
from course_lib.checking import expect
from course_lib.checking.exercise import exercise

READ = "the docstring of 3.17"
IN, OUT = 50, 150
MODEL = (
    "torch.nn.Sequential(torch.nn.Embedding(9, 50), torch.nn.LayerNorm(50), "
    "torch.nn.Sequential(torch.nn.Linear(50, 150), torch.nn.ReLU(), "
    "torch.nn.Linear(150, 50, bias=False)))"
)
SPREADS = {
    "xavier": lambda n_in, n_out: math.sqrt(2 / (n_in + n_out)),
    "he": lambda n_in, n_out: math.sqrt(2 / n_in),
    "normal": lambda n_in, n_out: 0.02,
}
MISTAKES = {
    "xavier": {
        "the gain is √2: xavier's is 1 here": lambda i, o: 2 / math.sqrt(i + o),
        "the bound is √(6 / n_in): both numbers count": lambda i, o: math.sqrt(2 / i),
        "√(6 / (n_in + n_out)) is the bound, not the deviation": lambda i, o: math.sqrt(
            6 / (i + o)
        ),
        "√(2 / (n_in + n_out)) is the deviation, not the bound": lambda i, o: math.sqrt(
            2 / (i + o) / 3
        ),
    },
    "he": {
        "n_out is used: he counts what enters, n_in": lambda i, o: math.sqrt(2 / o),
        "√(1 / n_in): the 2 makes up for what ReLU cuts off": lambda i, o: math.sqrt(1 / i),
        "2 / n_in is the variance, its root the deviation": lambda i, o: 2 / i,
        "this is xavier's deviation": SPREADS["xavier"],
    },
    "normal": {"0.02 is the deviation, not the variance": lambda i, o: math.sqrt(0.02)},
}


def begun(student, scheme, seed=3):
    """The state before and after."""
    model = student.make(MODEL)
    before = model.state_dict()
    model.load_state_dict({**before, "2.0.bias": torch.ones(OUT)})
    generator = student.make(f"torch.Generator().manual_seed({seed})")
    answered(
        lambda: student.initialize(model, scheme, generator),
        "a layer made with bias=False has none; write in place, without gradients",
        READ,
    )
    return before, model.state_dict()


@exercise("3.17", weight=2)
def test_spread(student):
    """Each scheme's deviation, in layers that widen and in layers that narrow; mean 0."""
    for scheme, spread in SPREADS.items():
        before, after = begun(student, scheme)
        for name, n_in, n_out in (("2.0.weight", IN, OUT), ("2.2.weight", OUT, IN)):
            weight = after[name].double()
            got, want = float(weight.std()), spread(n_in, n_out)
            close = [
                why
                for why, other in MISTAKES[scheme].items()
                if abs(got / other(n_in, n_out) - 1) < 0.05
            ]
            if torch.equal(after[name], before[name]):
                close = ["not drawn anew: layers inside of layers count, too"]
            expect.true(
                abs(got / want - 1) < 0.05 and abs(float(weight.mean())) < 0.05 * want,
                expected=f"{scheme}: {n_in} → {n_out} features with deviation {want:.4f}, mean 0",
                got=f"deviation {got:.4f}, mean {float(weight.mean()):.4f}",
                otherwise=(close or ["the weight of an `nn.Linear` has the shape (n_out, n_in)"])[
                    0
                ],
                read=READ,
            )


@exercise("3.17")
def test_form(student):
    """Xavier is uniform, up to its bound; the others are normal."""
    for scheme, spread in SPREADS.items():
        _, after = begun(student, scheme)
        sizes = {"2.0.weight": (IN, OUT), "2.2.weight": (OUT, IN)}
        parts = [after[name].double() / spread(*size) for name, size in sizes.items()]
        largest = max(float(part.abs().max()) for part in parts)
        uniform = 1.65 < largest < 1.74  # √3 = 1.73 for a uniform distribution
        expect.true(
            uniform if scheme == "xavier" else largest > 2.5,
            expected="values up to √3 = 1.73 deviations, and none above"
            if scheme == "xavier"
            else "some of 15,000 values beyond 2.5 deviations",
            got=f"{scheme}: the largest at {largest:.2f} deviations",
            otherwise="xavier is uniform, he and normal are normal",
            read=READ,
        )


@exercise("3.17", weight=2)
def test_what_changes(student):
    """Biases become 0; embeddings and layer norms stay as they are."""
    for scheme in SPREADS:
        before, after = begun(student, scheme)
        expect.close(
            after["2.0.bias"],
            torch.zeros(OUT),
            otherwise="the biases are not zeroed",
            read=READ,
            what=f"the bias of a linear layer after {scheme!r}",
        )
        for name, what in (("0.weight", "the embedding"), ("1.weight", "the gain of a layer norm"),
                           ("1.bias", "the offset of a layer norm")):  # fmt: skip
            expect.close(
                after[name],
                before[name],
                otherwise=f"{what} is drawn anew: only linear layers are",
                read=READ,
                what=what,
            )


@exercise("3.17")
def test_generator(student):
    """All randomness comes from the generator: the global one is neither used nor touched."""
    for scheme in SPREADS:
        student.make("torch.manual_seed(1)")
        _, first = begun(student, scheme)
        student.make("torch.manual_seed(2)")
        _, second = begun(student, scheme)
        _, other = begun(student, scheme, seed=4)
        name = "2.0.weight"
        expect.close(
            second[name],
            first[name],
            otherwise="the global generator is drawn from: pass `generator` on",
            read=READ,
            what=f"the weights of {scheme!r}, drawn twice from equal generators",
        )
        expect.true(
            not torch.equal(first[name], other[name]),
            expected="other weights from another generator",
            got="the same",
            otherwise="`generator` is not used, or seeded inside",
            read=READ,
        )


@exercise("3.17", weight=0.5)
def test_unknown_scheme(student):
    """Another scheme raises a ValueError that names the three."""
    model, generator = student.make(MODEL), student.make("torch.Generator()")
    expect.raises(
        lambda: student.initialize(model, "glorot", generator),
        mentions=["xavier", "he", "normal"],
        otherwise="a misspelt scheme must not go unnoticed",
        read=READ,
    )
