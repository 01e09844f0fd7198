"""Hidden tests of exercise 3.17: initial weights of linear layers."""

import torch

from grader.checking.question import question

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
    return found
