"""The visible checks of exercise 0.3: the multi-head module."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise


@exercise("0.3")
def test_shapes_and_weights(student):
    """Shapes, the names of the layers, and weights only when they are asked for."""
    module = student.MultiHeadAttention(16, 4, dropout=0.0)
    wanted = sorted(f"{n}.{p}" for n in ("w_q", "w_k", "w_v", "w_o") for p in ("weight", "bias"))
    expect.equal(sorted(module.state_dict()), wanted, what="parameters", read="exercise 0.3")
    query, memory = torch.ones(2, 3, 16), torch.ones(2, 7, 16)
    output, weights = expect.parts(module(query, memory, memory, need_weights=True), 2)
    expect.shape(output, (2, 3, 16), what="the output", read="exercise 0.3")
    expect.shape(weights, (2, 4, 3, 7), what="the weights", read="exercise 0.3")
    _, none = expect.parts(module(query, memory, memory), 2)
    expect.equal(none, None, what="weights that nobody asked for", read="exercise 0.3")
