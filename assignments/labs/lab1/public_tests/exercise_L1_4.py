"""The visible checks of exercise L1.4: attention that remembers."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

X = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(1))
CAUSAL = torch.ones(5, 5).tril().bool()[None, None]
PLACES = torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])


def turned(x):
    """Rotary positions (L1.2), as a product of complex numbers."""
    half = x.shape[-1] // 2
    angles = PLACES[:, None, :, None] * 10000.0 ** (-torch.arange(half) / half)
    product = torch.complex(x[..., :half], x[..., half:])
    product = product * torch.polar(torch.ones_like(angles), angles)
    return torch.cat([product.real, product.imag], dim=-1)


def made(student):
    layer = student.CachedAttention(8, 2)
    layer.eval()
    return layer


def attended(layer, turn="", mask=CAUSAL):
    """Output and weights; the letters in `turn` (q, k, v) are rotated."""
    state, heads = layer.state_dict(), {}
    for letter in "qkv":
        flat = X @ state[f"w_{letter}.weight"].T + state[f"w_{letter}.bias"]
        head = flat.unflatten(-1, (2, 4)).transpose(1, 2)
        heads[letter] = turned(head) if letter in turn else head
    scores = heads["q"] @ heads["k"].transpose(-1, -2) / math.sqrt(4)
    weights = (scores if mask is None else scores.masked_fill(~mask, -math.inf)).softmax(-1)
    merged = (weights @ heads["v"]).transpose(1, 2).flatten(2)
    return merged @ state["w_o.weight"].T + state["w_o.bias"], weights


def asked(layer, x=X, mask=CAUSAL, **how):
    return expect.parts(layer(x, x, x, mask, **how), 2, read="exercise L1.4",
                        otherwise="return (heads, weights)")


@exercise("L1.4")
def test_plain(student):
    """Without positions and without a cache it is multi-head attention."""
    layer = made(student)
    output, weights = asked(layer, need_weights=True)
    want, want_weights = attended(layer)
    expect.close(output, want, atol=1e-5, what="the output", read="§3.2.2",
                 otherwise="attend from the queries to the keys, and return (heads, weights)")
    expect.close(weights, want_weights, atol=1e-5, what="the weights", read="§3.2.2")
    expect.equal(asked(layer)[1], None, what="the weights without need_weights",
                 read="exercise L1.4")


@exercise("L1.4")
def test_rotated(student):
    """With positions, queries and keys are turned, values are not."""
    layer = made(student)
    layer.set("positions", PLACES)
    expect.close(
        asked(layer)[0], attended(layer, "qk")[0], atol=1e-5, what="the output with positions",
        otherwise="rotate the heads that are given", read="Su et al. 2021, section 3.2")


@exercise("L1.4", weight=2)
def test_one_at_a_time(student):
    """Read one by one with a cache, the positions give what they give together."""
    layer = made(student)
    layer.set("cache", student.KeysAndValues())
    outputs = []
    for i in range(5):
        layer.set("positions", PLACES[:, i : i + 1])
        with expect.raising(otherwise="attend to everything that the cache has returned",
                            read="exercise L1.4"):
            outputs.append(asked(layer, X[:, i : i + 1], CAUSAL[:, :, i : i + 1, : i + 1])[0])
    state = layer.state_dict()
    alone = (X @ state["w_v.weight"].T + state["w_v.bias"]) @ state["w_o.weight"].T
    expect.close(
        torch.cat(outputs, dim=1), attended(layer, "qk")[0], atol=1e-5,
        what="the outputs of five steps",
        otherwise="extend the cache by the turned keys, and attend to all that it returns",
        read="exercise L1.4")
