"""Hidden tests of exercise 2.3: the multi-head attention module, with known weights."""

import torch

from autograder.a2.tensors import normal, parts
from grader.checking.question import question, refusal

MULTI_HEAD = "§3.2.2"
STEPS = "project, split, attend, merge, project: check the shape after each step"
LAYERS = ("w_q", "w_k", "w_v", "w_o")
FILL = "[module.get_parameter(name).data.copy_(value) for name, value in state.items()]"
BESIDE = ["test_injected_weights", "test_cross_lengths", "test_masks"]


def build(its, rng, d_model, n_heads, **options):
    """The module in evaluation mode, with weights that make attention clearly uneven."""
    module = its.MultiHeadAttention(d_model, n_heads, **options)
    state = {f"{layer}.weight": 0.7 * normal(rng, d_model, d_model) for layer in LAYERS}
    if options.get("bias", True):
        state |= {f"{layer}.bias": normal(rng, d_model) for layer in LAYERS}
    its.make(FILL, module=module, state=state)
    module.eval()
    return module


@question("2.3", beside=BESIDE, advice="w_q, w_k, w_v and w_o, each an nn.Linear, and no others")
def test_parameters(its):
    """An `nn.Module` with the pinned signature, layer names and shapes, with and without bias."""
    signature = its.MultiHeadAttention.signature()
    found = {"the signature": [[name, default] for name, _, default in signature[:4]]}
    for bias in (True, False):
        module = its.MultiHeadAttention(12, 3, bias=bias)
        state = module.state_dict()
        names = sorted(name for name in state if name.endswith((".weight", ".bias")))
        found[f"names in the state dict, bias={bias}"] = names
        sizes = sorted(f"{name} {[*state[name].shape]}" for name in module.parameters())
        found[f"the parameters, bias={bias}"] = sizes
    return found | {"an nn.Module": "torch.nn.modules.module.Module" in module.bases()}


@question("2.3", weight=2, advice=STEPS, read=MULTI_HEAD)
def test_injected_weights(its, rng):
    """With known weights, output and attention weights follow the paper, for 1 to 16 heads."""
    found = {}
    for n_heads, bias in [(2, True), (4, False), (1, True), (16, True)]:
        inputs = [normal(rng, 2, 5, 16) for _ in range(3)]
        called = its.call(build(its, rng, 16, n_heads, bias=bias), *inputs, need_weights=True)
        found |= parts(called.value, f", {n_heads} heads")
        found[f"arguments that it changed, {n_heads} heads"] = called.changed
    return found


@question("2.3", advice=STEPS, read=MULTI_HEAD)
def test_cross_lengths(its, rng):
    """Queries of one sequence attend to keys and values of another length."""
    module, found = build(its, rng, 8, 2), {}
    for n_q, n_k in [(3, 6), (6, 3), (1, 4), (4, 1)]:
        inputs = (normal(rng, 2, n, 8) for n in (n_q, n_k, n_k))
        found |= parts(module(*inputs, need_weights=True), f", {n_q} queries, {n_k} keys")
    return found


@question("2.3", weight=2, advice="hand the mask on as it is", read="§3.2.3")
def test_masks(its, rng):
    """Causal, padding and per-head masks (True = may attend) are applied, and to one call only."""
    module, inputs = build(its, rng, 8, 2), [normal(rng, 2, 4, 8) for _ in range(3)]
    causal = torch.ones(4, 4, dtype=torch.bool).tril()
    padding = torch.arange(4) < torch.tensor([4, 2]).reshape(2, 1, 1, 1)
    per_head = torch.from_numpy(rng.random((2, 2, 4, 4)) < 0.5) | torch.eye(4, dtype=torch.bool)
    masks = {"causal": causal, "padding": padding, "both": causal & padding, "per-head": per_head}
    found = {}
    for name, mask in (masks | {"no": None}).items():
        found |= parts(module(*inputs, mask, need_weights=True), f", {name} mask")
    return found


@question("2.3", advice="zero heads pass through `w_o` like any others", read="exercise 2.1")
def test_row_without_keys(its, rng):
    """A query without keys gets zeros before the output projection, so its output is the bias."""
    mask = torch.ones(2, 1, 4, 4, dtype=torch.bool)
    mask[0, 0, 1] = False
    inputs = [normal(rng, 2, 4, 8) for _ in range(3)]
    return parts(build(its, rng, 8, 2)(*inputs, mask, need_weights=True))


@question("2.3", advice="(output, None) unless `need_weights`, then those of every head")
def test_weights_only_when_asked_for(its, rng):
    """`need_weights` selects between the weights of every head and None, in training, too."""
    module, x = build(its, rng, 8, 4, dropout=0.0), normal(rng, 2, 3, 8)
    asked = [{}, {"need_weights": False}]
    found = {f"no weights with {one}": module(x, x, x, **one)[1] is None for one in asked}
    module.train()
    return found | parts(module(x, x, x, need_weights=True), " in training")


@question("2.3", beside=BESIDE, advice="a ValueError that names both numbers", read=MULTI_HEAD)
def test_indivisible_width(its):
    """A d_model that is not a multiple of n_heads raises a ValueError that names both."""
    sizes = [(10, 3), (8, 16)]
    return [refusal(lambda given=given: its.MultiHeadAttention(*given), given) for given in sizes]


@question("2.3", weight=5, advice="`.detach()`, `.data` or `torch.no_grad()` cuts the graph")
def test_gradients(its, rng):
    """Gradients of the inputs and all weights, under a mask, are those of the formula."""
    module, inputs = build(its, rng, 8, 2), [normal(rng, 2, n, 8) for n in (3, 4, 4)]
    mask, cotangent = torch.ones(3, 4, dtype=torch.bool).tril(1), normal(rng, 2, 3, 8)
    got = its.vjp(module, *inputs, mask, cotangent=cotangent, parameters=True)
    given = dict(zip(("query", "key", "value"), got.arguments.values(), strict=True))
    given |= {name: got.parameters.get(f"{name}.weight") for name in LAYERS}
    return {"the output": got.value} | {f"the gradient of `{n}`": g for n, g in given.items()}
