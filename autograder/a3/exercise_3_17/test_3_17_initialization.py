"""Hidden tests of exercise 3.17: initial weights of linear layers."""

import torch

from grader.checking.question import question

READ = "the docstring of 3.17"
SCHEMES = ("xavier", "he", "normal")
LAYERS = "torch.nn.Sequential(torch.nn.Linear({0}, {1}), torch.nn.Linear({1}, {0}))"
PARTS = """torch.nn.Sequential(torch.nn.Embedding(9, 20), torch.nn.LayerNorm(20),
    torch.nn.Sequential(torch.nn.Linear(20, 30), torch.nn.ReLU(),
    type('Own', (torch.nn.Linear,), {})(30, 20, bias=False)))"""


def initialized(its, scheme, seed=3, model=None):
    """The model's weights after `initialize`."""
    model = model or its.make(LAYERS.format(20, 30))
    its.initialize(model, scheme, its.make(f"torch.Generator().manual_seed({seed})"))
    return model.state_dict()


@question("3.17", weight=3, advice="the weight of an `nn.Linear` is (n_out, n_in)", read=READ)
def test_spread(its):
    """Each scheme's deviation and form, in widening and narrowing layers, and a mean of 0."""
    found = {}
    for scheme in SCHEMES:
        after = initialized(its, scheme, model=its.make(LAYERS.format(200, 600)))
        for layer, size in {"0.weight": "200 → 600", "1.weight": "600 → 200"}.items():
            weight, of = after[layer].double(), f"of {scheme!r}, {size} features"
            # of 120,000 values: chance moves the deviation by 0.2 %, the mean by 0.003 deviations
            spread = float(weight.std())
            found[f"the deviation {of}, rounded to 0.01"] = round(spread, 2)
            found[f"the mean {of} is 0"] = abs(float(weight.mean())) < 0.05 * spread
            # √3 = 1.73 deviations if uniform
            found[f"values beyond 2.5 deviations {of}"] = bool(weight.abs().max() > 2.5 * spread)
    return found


@question("3.17", weight=2, advice="`model.modules()`, `isinstance`, and in place", read=READ)
def test_what_changes(its):
    """Every linear layer has new weights in its old parameters, and biases of 0."""
    found = {}
    for scheme in SCHEMES:
        model = its.make(PARTS)
        parts = its.make("list(model.parameters())", model=model)
        before, after = model.state_dict(), initialized(its, scheme, model=model)
        same = "all(a is b for a, b in zip(parts, model.parameters()))"
        found |= {
            f"what {scheme!r} changes": [n for n in after if not torch.equal(before[n], after[n])],
            f"the biases are 0 after {scheme!r}": not after["2.0.bias"].any(),
            f"the parameters are the old ones after {scheme!r}": its.make(
                same, parts=parts, model=model
            ).get(),
        }
    return found
