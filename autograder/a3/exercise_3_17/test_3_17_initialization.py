"""Hidden tests of exercise 3.17: initial weights of linear layers."""

import torch

from grader.checking.question import question, refusal

READ = "the docstring of 3.17"
SCHEMES = ("xavier", "he", "normal")
PARTS = """torch.nn.Sequential(torch.nn.Embedding(9, 20), torch.nn.LayerNorm(20),
    torch.nn.Sequential(torch.nn.Linear(20, 30), torch.nn.ReLU(),
    type('Own', (torch.nn.Linear,), {})(30, 20, bias=False)))"""


def initialized(its, scheme, model):
    """The model's weights after `initialize`."""
    its.initialize(model, scheme, its.make("torch.Generator().manual_seed(3)"))
    return model.state_dict()


@question("3.17", weight=2, advice="`model.modules()`, `isinstance`, and in place", read=READ)
def test_what_changes(its):
    """Every linear layer has new weights in its old parameters, and biases of 0."""
    found = {}
    for scheme in SCHEMES:
        model = its.make(PARTS)
        parts = its.make("list(model.parameters())", model=model)
        before, after = model.state_dict(), initialized(its, scheme, model)
        same = "all(a is b for a, b in zip(parts, model.parameters()))"
        found |= {
            f"what {scheme!r} changes": [n for n in after if not torch.equal(before[n], after[n])],
            f"the biases are 0 after {scheme!r}": not after["2.0.bias"].any(),
            f"the parameters are the old ones after {scheme!r}": its.make(
                same, parts=parts, model=model
            ).get(),
        }
    unknown = refusal(lambda: initialized(its, "orthogonal", its.make(PARTS)), SCHEMES)
    return found | {"the scheme 'orthogonal'": unknown}


@question("3.17", weight=2, advice="each scheme's deviation, from `generator` alone", read=READ)
def test_what_is_drawn(its):
    """Deviation and form of the weights; torch's global generator is not touched."""
    found = {}
    for scheme in SCHEMES:
        layer = its.make("torch.nn.Linear(300, 800)")
        before = its.make("torch.get_rng_state()")
        weight = initialized(its, scheme, layer)["weight"]
        found[f"the deviation of {scheme}, rounded to 0.01"] = round(float(weight.std()), 2)
        found[f"{scheme} draws beyond 2.5 deviations"] = bool(weight.max() > 2.5 * weight.std())
        still = its.make("torch.equal(before, torch.get_rng_state())", before=before)
        found[f"torch's global generator is untouched by {scheme}"] = still.get()
    return found
