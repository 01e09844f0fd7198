"""The visible checks of exercise 2.3: the multi-head module."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

PROJECTIONS = ("w_q", "w_k", "w_v", "w_o")


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@exercise("2.3")
def test_shapes(student):
    """Output and weights have the handout's shapes; weights are None without `need_weights`."""
    module = student.MultiHeadAttention(16, 4)
    query, memory = draw(0, 2, 3, 16), draw(1, 2, 7, 16)
    output, weights = expect.parts(
        module(query, memory, memory, need_weights=True), 2,
        otherwise="forward returns the output and the weights", read="exercise 2.3")
    expect.shape(output, (2, 3, 16), what="the output of 3 queries to 7 keys", read="§3.2.2")
    expect.shape(
        weights, (2, 4, 3, 7), what="the weights",
        otherwise="(batch, heads, queries, keys): one map for each head", read="exercise 2.3")
    _, weights = expect.parts(module(query, memory, memory), 2)
    expect.equal(weights, None, what="the weights without `need_weights`", read="exercise 2.3")


@exercise("2.3", beside=["test_two_heads_by_hand", "test_mask_and_output_layer"])
def test_count(student):
    """Four linear layers with the pinned names: 1,050,624 parameters in the base size."""
    module = student.MultiHeadAttention()
    state = module.state_dict()
    wanted = sorted(f"{name}.{part}" for name in PROJECTIONS for part in ("bias", "weight"))
    twice = set(state) > set(wanted) and len(module.parameters()) == len(wanted)
    expect.equal(
        sorted(state), wanted, what="the parameters' names",
        because="a layer has a second name, so the state dict lists it twice" if twice else "",
        otherwise="one nn.Linear(d_model, d_model) for all heads together: w_q, w_k, w_v, w_o",
        read="exercise 2.3")
    expect.equal(
        sum(value.numel() for value in state.values()), 4 * 512 * 512 + 4 * 512,
        what="the number of parameters", read="§3.2.2")


@exercise("2.3")
def test_two_heads_by_hand(student):
    """With identity projections, each head attends over its own half of the features."""
    module = student.MultiHeadAttention(4, 2, dropout=0.0, bias=False)
    module.load_state_dict({f"{name}.weight": torch.eye(4) for name in PROJECTIONS})
    query, key, value = draw(0, 1, 3, 4), draw(1, 1, 5, 4), draw(2, 1, 5, 4)

    def by_halves(divisor, values):
        halves = [slice(0, 2), slice(2, 4)]
        maps = [(query[..., h] @ key[..., h].mT / divisor).softmax(-1) for h in halves]
        return torch.cat([m @ values[..., h] for m, h in zip(maps, halves, strict=True)], -1)

    together = (query @ key.mT / 2).softmax(-1) @ value
    output, _ = expect.parts(module(query, key, value), 2)
    expect.close(
        output, by_halves(math.sqrt(2), value), atol=1e-5,
        otherwise="project, split into heads, attend, merge, project with w_o, in this order",
        read="§3.2.2")


@exercise("2.3")
def test_mask_and_output_layer(student):
    """The mask is applied in every head, and `w_o` to the merged heads."""
    module = student.MultiHeadAttention(4, 2, dropout=0.0, bias=False)
    last = draw(3, 4, 4)
    eye = {f"{name}.weight": torch.eye(4) for name in PROJECTIONS[:3]}
    module.load_state_dict({**eye, "w_o.weight": last})
    x = draw(0, 1, 3, 4)
    causal = torch.ones(3, 3, dtype=torch.bool).tril()

    def heads(mask):
        halves = (x[..., :2], x[..., 2:])
        scores = [(h @ h.mT / math.sqrt(2)).masked_fill(~mask, -math.inf) for h in halves]
        return torch.cat([s.softmax(-1) @ h for s, h in zip(scores, halves, strict=True)], -1)

    output, _ = expect.parts(module(x, x, x, causal), 2)
    expect.close(
        output, heads(causal) @ last.T, atol=1e-5,
        otherwise="pass the mask on unchanged, and end with `w_o`", read="exercise 2.3")


@exercise("2.3")
def test_dropout_in_training_only(student):
    """Dropout changes the output in training mode but not in evaluation mode."""
    module = student.MultiHeadAttention(8, 2, dropout=0.5)
    x = draw(0, 2, 6, 8)
    module.eval()
    first, second = (expect.parts(module(x, x, x), 2)[0] for _ in range(2))
    expect.close(
        second, first, what="the second output in evaluation mode",
        otherwise="turn dropout off in evaluation mode: an `nn.Dropout` layer does it for you",
        read="exercise 2.3")
    module.train()
    expect.above(
        float((expect.parts(module(x, x, x), 2)[0] - first).abs().max()), 1e-4,
        expected="a different output in training mode", got="the same",
        because="dropout is not applied: pass the layer to `attention`", read="exercise 2.3")
    expect.raises(
        lambda: student.MultiHeadAttention(10, 3),
        because="`//` rounds down silently: raise a ValueError when `d_model % n_heads` is not 0",
        read="exercise 2.3")
