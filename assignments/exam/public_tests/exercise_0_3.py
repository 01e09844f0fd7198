"""The visible checks of exercise 0.3: the multi-head module."""

import torch

from grader.checking.question import question


@question("0.3", weight=2, advice="project, split, attend, merge, project", read="exercise 0.3")
def test_shapes_and_weights(its):
    """The names of the layers, output and weights with known parameters, weights on request."""
    module = its.MultiHeadAttention(8, 4, dropout=0.0)
    shapes = {name: list(one.shape) for name, one in sorted(module.state_dict().items())}
    wave = {name: torch.arange(8.0 * n).sin() for n, name in enumerate(shapes, 1)}
    state = {n: wave[n].repeat(8)[: torch.Size(s).numel()].reshape(s) for n, s in shapes.items()}
    module.load_state_dict(state)
    query, memory = torch.arange(48.0).cos().reshape(2, 3, 8), torch.ones(2, 4, 8).cumsum(1).sin()
    mask = torch.tensor([True, True, False, True])
    output, weights = module(query, memory, memory, mask, need_weights=True)
    unasked = module(query, memory, memory)[1] is None
    return shapes | {"output": output, "weights": weights, "None unless need_weights": unasked}
