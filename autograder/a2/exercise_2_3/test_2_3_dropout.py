"""Hidden tests of exercise 2.3: where dropout is applied, and when."""

import torch

from autograder.a2.tensors import normal, parts
from grader.checking.question import question

ADVICE = "apply the rate given to the constructor to the weights, in training only"


@question("2.3", weight=5, advice=ADVICE, read="§5.4")
def test_dropout(its, rng):
    """In training alone, dropout is applied to the weights in use, and none to those returned."""
    # One head, without projections of the values: the output shows the weights in use, twice.
    module = its.MultiHeadAttention(16, 1, dropout=0.5)
    state = {name: torch.zeros_like(value) for name, value in module.state_dict().items()}
    state |= {f"{name}.weight": normal(rng, 16, 16) * 0.3 for name in ("w_q", "w_k")}
    state |= {f"{name}.weight": torch.eye(16) for name in ("w_v", "w_o")}
    module.load_state_dict(state)
    inputs = normal(rng, 1, 8, 16), normal(rng, 1, 8, 16), torch.eye(8).repeat(1, 2)[None]
    module.eval()
    still = parts(module(*inputs, need_weights=True), " in evaluation")
    module.train()
    found = parts(its.call(module, *inputs, need_weights=True, seed=5).value)
    output, weights = found.pop("the output"), found["the weights"].reshape(8, 8)
    used, again = output.reshape(8, 16).chunk(2, -1)
    found |= {
        "the output is another one in training": not torch.allclose(used, weights, atol=1e-3),
        "a weight is kept or dropped for the whole value": used.equal(again),
        "some weights are dropped, not all": 0 < int(used.count_nonzero()) < 64,
        "kept weights are doubled": torch.allclose(used, 2 * weights * (used != 0), atol=1e-3),
    }
    plain = its.MultiHeadAttention(16, 1)
    plain.load_state_dict(state)
    output, weights = its.call(plain, *inputs, need_weights=True, seed=5).value
    factor = float((output[..., :8] / weights.reshape(1, 8, 8)).nanmedian())
    return found | still | {"by default kept weights are multiplied by": round(factor, 2)}
