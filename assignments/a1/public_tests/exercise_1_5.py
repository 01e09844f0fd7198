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


@question("1.5", advice=DRAW, read="exercise 1.5")
def test_two_seeds(its):
    """Generators with the same seed make the same layer, with different seeds different ones."""
    first, again, other = (_layer(its, seed, d_model=4)(X)[0] for seed in (0, 0, 1))
    return {
        "the same output from the same seed": _same(first, again),
        "the same output from different seeds": _same(first, other),
    }


@question("1.5", weight=2, advice=SIZES, read="§3.2.2")
def test_layer_shapes(its):
    """Weights and output have the requested sizes; the three projections differ."""
    layer = _layer(its, 0, d_model=8, d_k=4, d_v=3)
    output, weights = layer(np.ones((5, 8)))
    shapes = {f"shape of {name}": np.shape(layer.get(name)) for name in NAMES}
    shapes |= {"shape of the output": np.shape(output), "shape of the weights": np.shape(weights)}
    return shapes | {"w_q is w_k": _same(layer.get("w_q"), layer.get("w_k"))}


@question("1.5", advice=SIZES, read="exercise 1.5")
def test_default_widths(its):
    """d_k and d_v are d_model when they are not given."""
    layers = {"none": _layer(its, 3, d_model=6), "d_k=4": _layer(its, 3, d_model=6, d_k=4)}
    return {
        f"shape of {name}, given {given}": np.shape(layer.get(name))
        for given, layer in layers.items()
        for name in NAMES
    }


@question("1.5", weight=2, advice="attention(query, key, value, mask)", read="exercise 1.5")
def test_the_mask_is_passed_on(its):
    """Under a causal mask, a token attends only to itself and earlier tokens."""
    layer, found = _layer(its, 0, d_model=4, d_k=2), {}
    for first, (name, width) in enumerate(zip(NAMES, (2, 2, 4), strict=True)):
        layer.set(name, np.tri(4, width, k=-first))
    calls = {"under a causal mask": (X, np.tri(3, dtype=bool)), "of a batch": (np.stack([X, -X]),)}
    for name, given in calls.items():
        found[f"output {name}"], found[f"weights {name}"] = layer(*given)
    return found


@question("1.5", advice=DRAW, read="exercise 1.5, the trap")
def test_no_twins(its):
    """Without `rng`, two layers differ and NumPy's global generator is untouched."""
    keys, position = its.make(STATE).get()
    first, second = (its.SelfAttention(4).get("w_q") for _ in range(2))
    after = its.make(STATE).get()
    return {
        "two layers with the same w_q": _same(first, second),
        "the global generator is as before": _same(keys, after[0]) and position == after[1],
    }
