"""The visible check of exercise L3.4: two thin matrices."""

import numpy as np
import torch

from grader.checking.question import question, refusal

LINEAR = "torch.nn.Linear(3, 4)"
X = torch.tensor([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])


def _drawn(*shape, seed=0):
    return torch.from_numpy(np.random.RandomState(seed).randn(*shape)).float()


@question("L3.4", advice="W + (alpha / rank) B A; A random, B zero", read="exercise L3.4")
def test_low_rank_linear(its):
    """It begins at the layer, adds (alpha / rank) B A to its matrix, and A and B alone learn."""
    linear = its.make(LINEAR)
    before = linear(X)
    module = its.LowRankLinear(linear, 2, alpha=6.0)
    state = module.state_dict()
    begins = {
        "it begins at the layer": bool(torch.allclose(module(X), before)),
        "B begins at zero": not state["B"].any(),
        "A begins at random": bool(state["A"].any()),
        "shapes of A and B": [state["A"].shape, state["B"].shape],
        "what learns": module.parameters(),
    }
    written = {"linear.weight": _drawn(4, 3), "linear.bias": _drawn(4, seed=1)}
    module.load_state_dict({**written, "A": _drawn(2, 3, seed=2), "B": _drawn(4, 2, seed=3)})
    return begins | {
        "the output": module(X),
        "weight": module.get("weight"),
        "bias": module.get("bias"),
        "rank = 0": refusal(lambda: its.LowRankLinear(its.make(LINEAR), 0)),
    }
