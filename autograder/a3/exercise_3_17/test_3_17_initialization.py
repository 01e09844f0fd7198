"""Hidden tests of exercise 3.17: initial weights of linear layers."""

import math

import torch

from autograder.a3.answers import answered
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.checking.shown import show

MISTAKE = known_mistakes(__file__)

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
        MISTAKE.initialize_xavier_gain: lambda i, o: 2 / math.sqrt(i + o),
        "the bound is √(6 / n_in): use both n_in and n_out": lambda i, o: math.sqrt(2 / i),
        "√(6 / (n_in + n_out)) is the bound, not the standard deviation": lambda i, o: math.sqrt(
            6 / (i + o)
        ),
        "√(2 / (n_in + n_out)) is the standard deviation, not the bound": lambda i, o: math.sqrt(
            2 / (i + o) / 3
        ),
    },
    "he": {
        MISTAKE.initialize_he_fan_out: lambda i, o: math.sqrt(2 / o),
        "√(1 / n_in): the 2 makes up for what ReLU sets to 0": lambda i, o: math.sqrt(1 / i),
        "2 / n_in is the variance, its root the standard deviation": lambda i, o: 2 / i,
        "this is xavier's standard deviation": SPREADS["xavier"],
    },
    "normal": {"0.02 is the standard deviation, not the variance": lambda i, o: math.sqrt(0.02)},
}


def initialized(student, scheme, seed=3):
    """The state dict before and after `initialize`."""
    model = student.make(MODEL)
    before = model.state_dict()
    model.load_state_dict({**before, "2.0.bias": torch.ones(OUT)})
    generator = student.make(f"torch.Generator().manual_seed({seed})")
    answered(
        lambda: student.initialize(model, scheme, generator),
        "a layer with bias=False has no bias; write in place, without gradients",
        READ,
    )
    after = model.state_dict()
    for name in ("2.0.weight", "2.2.weight"):
        expect.true(
            not torch.equal(after[name], before[name]),
            expected=f"new weights for the linear layer {name.removesuffix('.weight')}",
            got="the old ones",
            otherwise="draw new weights for every `nn.Linear` in `model.modules()`",
            read=READ,
        )
    return before, after


def _draws_direct_children(student, scheme):
    """Whether a linear layer that is a direct child of the model gets new weights."""
    model = student.make("torch.nn.Sequential(torch.nn.Linear(3, 4))")
    before = model.state_dict()["0.weight"]
    student.initialize(model, scheme, student.make("torch.Generator().manual_seed(3)"))
    return not torch.equal(model.state_dict()["0.weight"], before)


@exercise("3.17", weight=2)
def test_spread(student):
    """Each scheme's standard deviation, in widening and narrowing layers, and a mean of 0."""
    for scheme, spread in SPREADS.items():
        _, after = initialized(student, scheme)
        for name, n_in, n_out in (("2.0.weight", IN, OUT), ("2.2.weight", OUT, IN)):
            layer = f"of {scheme!r}, {n_in} → {n_out} features"
            weight = after[name].double()
            found, wanted = float(weight.std()), spread(n_in, n_out)
            # Compared by logarithm, where chance is the same at any scale: for n values it is
            # √((kurtosis − 1) / 4n) of the deviation: 1 / √(2n) for normal ones, less for uniform.
            expect.by_chance(
                math.log10(found),
                math.log10(wanted),
                1 / math.sqrt(2 * weight.numel()) / math.log(10),
                otherwise="the weight of an `nn.Linear` has the shape (n_out, n_in)",
                read=READ,
                what=f"log₁₀ of the deviation {layer} ({found:.4f}, expected {wanted:.4f})",
            )
            expect.by_chance(
                float(weight.mean()),
                0.0,
                wanted / math.sqrt(weight.numel()),
                otherwise="the weights have mean 0",
                read=READ,
                what=f"the mean {layer}",
            )


@exercise("3.17")
def test_form(student):
    """Xavier is uniform; the others are normal."""
    for scheme in SPREADS:
        _, after = initialized(student, scheme)
        for name in ("2.0.weight", "2.2.weight"):
            weight = after[name].double()
            largest = float((weight - weight.mean()).abs().max() / weight.std())
            # The largest of 7,500 values: √3 = 1.73 deviations if uniform, above 2.5 if normal.
            # Correct code misses that once in 10^41 runs.
            uniform, normal = largest < 1.9, largest > 2.5
            expect.true(
                uniform if scheme == "xavier" else normal,
                expected="values up to √3 = 1.73 standard deviations, and none above"
                if scheme == "xavier"
                else "some of 7,500 values beyond 2.5 standard deviations",
                got=f"{scheme}: the largest at {largest:.2f} standard deviations",
                because="xavier is uniform: these values are not"
                if scheme == "xavier"
                else MISTAKE.initialize_all_uniform.format(scheme=scheme),
                read=READ,
            )


@exercise("3.17", weight=2)
def test_what_changes(student):
    """Biases become 0; embeddings and layer norms do not change."""
    for scheme in SPREADS:
        before, after = initialized(student, scheme)
        expect.close(
            after["2.0.bias"],
            torch.zeros(OUT),
            otherwise="set the biases to 0",
            read=READ,
            what=f"the bias of a linear layer after {scheme!r}",
        )
        for name, what in (("0.weight", "the embedding"), ("1.weight", "the gain of a layer norm"),
                           ("1.bias", "the offset of a layer norm")):  # fmt: skip
            expect.true(
                torch.equal(after[name], before[name]),
                expected=f"{what} unchanged",
                got=show(after[name]),
                read=READ,
            )


@exercise("3.17")
def test_generator(student):
    """All randomness comes from `generator`, none from the global one."""
    name = "2.0.weight"
    for scheme in SPREADS:
        drawn = []
        for global_seed, seed in ((1, 3), (1, 3), (2, 3), (1, 4)):
            student.make(f"torch.manual_seed({global_seed})")
            drawn.append(initialized(student, scheme, seed)[1][name])
        first, again, second, other = drawn
        reproducible = torch.equal(first, again)
        expect.true(
            torch.equal(first, second),
            expected=f"the same weights of {scheme!r} from equal generators",
            got=f"{show(first)}, then {show(second)}",
            otherwise="the draw depends on something other than `generator`",
            read=READ,
        )
        expect.true(
            not torch.equal(first, other),
            expected="different weights from a different generator",
            got="the same",
            because="`generator` is not used, or it is re-seeded inside",
            read=READ,
        )


@exercise("3.17", beside=["test_spread", "test_what_changes", "test_form"])
def test_global_generator_stays(student):
    """torch's global generator does not change."""
    model = student.make(MODEL)
    draw = student.make("lambda: torch.rand(8)")
    for scheme in SPREADS:
        wanted, found = [], []
        for seed in (11, 12):
            student.make(f"torch.manual_seed({seed})")
            wanted.append(draw())
            student.make(f"torch.manual_seed({seed})")
            student.initialize(model, scheme, student.make("torch.Generator().manual_seed(5)"))
            found.append(draw())
        expect.true(
            all(map(torch.equal, found, wanted)),
            expected=f"torch's global generator in the same state as before {scheme!r}",
            got="a different state",
            read=READ,
        )


@exercise("3.17", weight=0.5)
def test_unknown_scheme(student):
    """An unknown scheme raises a ValueError that names the three valid ones."""
    model, generator = student.make(MODEL), student.make("torch.Generator()")
    expect.raises(
        lambda: student.initialize(model, "glorot", generator),
        mentions=["xavier", "he", "normal"],
        otherwise="raise a ValueError that names the three schemes",
        read=READ,
    )
