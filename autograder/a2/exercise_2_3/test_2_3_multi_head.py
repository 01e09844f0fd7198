"""Hidden tests of exercise 2.3: the multi-head attention module, with known weights."""

import torch

from autograder.a2.tensors import normal, parts
from grader.checking.question import question, refusal

MULTI_HEAD = "§3.2.2"
STEPS = "project, split, attend, merge, project: check the shape after each step"
LAYERS = ("w_q", "w_k", "w_v", "w_o")
FILL = "[module.get_parameter(name).data.copy_(value) for name, value in state.items()]"
DROPOUT = "apply the rate given to the constructor to the weights, in training only"


@question("2.3", weight=5, advice=DROPOUT, read="§5.4")
def test_dropout(its, rng):
    """In training alone, dropout is applied to the weights in use, and none to those returned."""
    # One head, without projections of the values: the output shows the weights in use, twice.
    module = its.MultiHeadAttention(16, 1, dropout=0.5)
    state = {f"{name}.bias": torch.zeros(16) for name in LAYERS}
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


def build(its, rng, d_model, n_heads, **options):
    """The module in evaluation mode, with weights that make attention clearly uneven."""
    module = its.MultiHeadAttention(d_model, n_heads, **options)
    state = {f"{layer}.weight": 0.7 * normal(rng, d_model, d_model) for layer in LAYERS}
    if options.get("bias", True):
        state |= {f"{layer}.bias": normal(rng, d_model) for layer in LAYERS}
    its.make(FILL, module=module, state=state)
    module.eval()
    return module


@question("2.3", weight=3, advice=STEPS, read=MULTI_HEAD)
def test_injected_weights(its, rng):
    """With known weights, output and attention weights follow the paper, for 1 to 16 heads."""
    found = {}
    for n_heads, bias in [(2, True), (4, False), (1, True), (16, True)]:
        inputs = [normal(rng, 2, n, 16) for n in (n_heads, 5, 5)]
        module = build(its, rng, 16, n_heads, bias=bias)
        found |= parts(module(*inputs, need_weights=True), f", {n_heads} heads")
    found["the weights, not asked for"] = module(*inputs)[1]
    return found | {"15, 4": refusal(lambda: its.MultiHeadAttention(15, 4), [15, 4])}


@question("2.3", weight=3, advice="hand the mask on as it is", read="§3.2.3")
def test_masks(its, rng):
    """Causal, padding and per-head masks (True = may attend) are applied, and to one call only."""
    module, inputs = build(its, rng, 8, 2), [normal(rng, 2, 4, 8) for _ in range(3)]
    causal = torch.ones(4, 4, dtype=torch.bool).tril()
    padding = torch.arange(4) < torch.tensor([4, 2]).reshape(2, 1, 1, 1)
    per_head = torch.from_numpy(rng.random((2, 2, 4, 4)) < 0.5) | torch.eye(4, dtype=torch.bool)
    masks = {
        "causal": causal,
        "padding": padding,
        "per-head": per_head,
        "padding in rows, no": None,
    }
    found = {}
    for name, mask in (masks | {"empty": padding.mT & padding}).items():
        found |= parts(module(*inputs, mask, need_weights=True), f", {name} mask")
    return found


@question("2.3", weight=5, advice="`.detach()`, `.data` or `torch.no_grad()` cuts the graph")
def test_gradients(its, rng):
    """Gradients of the inputs and all weights, under a mask, are those of the formula."""
    module, inputs = build(its, rng, 8, 2), [normal(rng, 2, n, 8) for n in (3, 4, 4)]
    mask, cotangent = torch.ones(3, 4, dtype=torch.bool).tril(1), normal(rng, 2, 3, 8)
    got = its.vjp(module, *inputs, mask, cotangent=cotangent, parameters=True)
    given = dict(zip(("query", "key", "value"), got.arguments.values(), strict=True))
    given |= {name: got.parameters.get(f"{name}.weight") for name in LAYERS}
    return {"the output": got.value} | {f"the gradient of `{n}`": g for n, g in given.items()}
