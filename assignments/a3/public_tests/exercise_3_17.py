"""The visible checks of exercise 3.17: how to begin."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


@exercise("3.17")
def test_spread(student):
    """Each scheme gives the weights its standard deviation, and the biases are 0."""
    for scheme, want in (("xavier", 500), ("he", 100), ("normal", 5000)):
        layer = student.make("torch.nn.Linear(100, 400)")
        student.initialize(layer, scheme, student.make("torch.Generator().manual_seed(7)"))
        state = layer.state_dict()
        spread = float(state["weight"].std())
        wrong = {"he": "n_in is the number of inputs: the weight is (out, in)",
                 "xavier": "uniform in ±√(6 / (n_in + n_out))", "normal": "standard deviation 0.02"}
        causes = {"he": {"n_out is used: the weight is (out, in)": math.sqrt(2 / 400)}}
        deviation = math.sqrt(2 / want)  # its own error is 1 / √(2n) of it, or less
        expect.by_chance(spread, deviation, deviation / math.sqrt(2 * 40_000),
                         what=f"standard deviation, {scheme}",                         otherwise=wrong[scheme], read="exercise 3.17")
        top = float(state["weight"].abs().max())
        if scheme != "xavier":  # of 40,000 normal values, chance has none there in 10^200 runs
            expect.true(top > 2.5 * spread, expected=f"{scheme}: weights beyond 2.5 deviations",
                        got=f"none beyond {top / spread:.2f}", read="exercise 3.17",
                        because="normal, not uniform: these values are bounded")
        else:
            expect.close(top, math.sqrt(6 / 500), rtol=0.02, what="the largest weight, xavier",
                         otherwise="uniform, not normal", read="exercise 3.17")
        expect.close(state["bias"], torch.zeros(400), what=f"biases, {scheme}",
                     read="exercise 3.17")


@exercise("3.17")
def test_only_linear_layers(student):
    """Embeddings and layer norms do not change; an unknown scheme raises a ValueError."""
    model = student.make("torch.nn.ModuleList([torch.nn.Linear(3, 3), torch.nn.LayerNorm(3), "
                         "torch.nn.Embedding(5, 3)])")
    before = model.state_dict()
    student.initialize(model, "he", student.make("torch.Generator().manual_seed(7)"))
    after = model.state_dict()
    for name in ("1.weight", "1.bias", "2.weight"):
        expect.close(after[name], before[name], what=name, read="exercise 3.17",
                     otherwise="only nn.Linear: use isinstance")
    changed = float((after["0.weight"] - before["0.weight"]).abs().max())
    expect.true(changed > 0, expected="new weights in the linear layer inside the model",
                got="the old ones", otherwise="iterate over model.modules()", read="exercise 3.17")
    generator = student.make("torch.Generator()")
    expect.raises(lambda: student.initialize(model, "lecun", generator), mentions=["xavier"],
                  because="an unknown scheme is accepted", otherwise="name the three schemes",
                  read="exercise 3.17")


@exercise("3.17")
def test_only_the_generator(student):
    """All randomness comes from `generator`; torch's global one is not touched."""
    for scheme in ("xavier", "he", "normal"):
        layer, weights = student.make("torch.nn.Linear(20, 30)"), []
        for seed in (1, 1, 2):
            student.make(f"torch.manual_seed({len(weights)})")
            before = student.make("torch.get_rng_state()")
            generator = student.make(f"torch.Generator().manual_seed({seed})")
            student.initialize(layer, scheme, generator)
            weights.append(layer.state_dict()["weight"])
            same = student.make("torch.equal(before, torch.get_rng_state())", before=before)
            expect.equal(same.get(), True, what="torch's global generator is untouched",
                         read="exercise 3.17",
                         because="draw from `generator` only, and seed nothing")
        expect.close(weights[1], weights[0], what=f"{scheme}, drawn twice from equal generators",
                     otherwise="draw from `generator`", read="exercise 3.17")
        expect.true(not torch.equal(weights[2], weights[0]), expected="others from another seed",
                    got="the same", because="`generator` is not used", read="exercise 3.17")
