"""The visible checks of exercise 1.5: a self-attention layer."""

import numpy as np

from grader.checking.question import question

X = np.arange(12.0).reshape(3, 4) / 10
NAMES = ("w_q", "w_k", "w_v")
STATE = "(lambda s: [s[1].copy(), s[2]])(np.random.get_state())"
SIZES = "w_q and w_k are (d_model, d_k), w_v is (d_model, d_v); None means d_model"
DRAW = "draw three matrices, one after another, from `rng` or a fresh default_rng()"


def _layer(its, seed, **sizes):
    return its.SelfAttention(rng=its.make(f"np.random.default_rng({seed})"), **sizes)


def _same(one, other):
    return bool(np.allclose(one, other))


@question("1.5", weight=4, advice=SIZES, read="§3.2.2")
def test_layer_shapes(its):
    """Weights have the requested sizes, by default d_model; the three projections differ."""
    found = {}
    for sizes in ({"d_k": 4, "d_v": 3}, {"d_k": 4}, {"d_v": 4}, {}):
        layer = _layer(its, 0, d_model=8, **sizes)
        found |= {f"shape of {n}, given {sizes}": np.shape(layer.get(n)) for n in NAMES}
    return found | {"w_q is w_k": _same(layer.get("w_q"), layer.get("w_k"))}


@question(
    "1.5",
    weight=2,
    advice="project x by the three weights, then attention(…, mask)",
    read="exercise 1.5",
)
def test_the_mask_is_passed_on(its):
    """Under a causal mask, a token attends only to itself and earlier tokens."""
    layer, found = _layer(its, 0, d_model=4, d_k=2), {}
    for first, (name, width) in enumerate(zip(NAMES, (2, 2, 4), strict=True)):
        layer.set(name, np.tri(4, width, k=-first))
    calls = {"under a causal mask": (X, np.tri(3, dtype=bool)), "of a batch": (np.stack([X, -X]),)}
    for name, given in calls.items():
        found[f"output {name}"], found[f"weights {name}"] = layer(*given)
    return found


@question("1.5", weight=2, advice=DRAW, read="exercise 1.5, the trap")
def test_no_twins(its):
    """The seed of `rng` decides; without `rng`, layers differ; np.random's state stays."""
    first, again, other = (_layer(its, seed, d_model=4)(X)[0] for seed in (0, 0, 1))
    keys, position = its.make(STATE).get()
    layers = [its.SelfAttention(4) for _ in range(2)]
    after = its.make(STATE).get()
    return {
        "the same output from the same seed": _same(first, again),
        "the same output from different seeds": _same(first, other),
        "two layers with the same w_q": _same(*(one.get("w_q") for one in layers)),
        "the global generator is as before": _same(keys, after[0]) and position == after[1],
    }
