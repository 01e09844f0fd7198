"""Hidden tests of exercise 1.5: a self-attention layer with its own weights."""

import numpy as np

from grader.checking.question import question

READ = "§3.2.2"
NAMES = ("w_q", "w_k", "w_v")
STATE = "(lambda s: [s[1].copy(), s[2]])(np.random.get_state())"
DEFAULTS = (
    "[type(p.default).__name__ for p in "
    "__import__('inspect').signature(student['SelfAttention']).parameters.values()]"
)
CALL = "attention(query, key, value, mask) of x @ self.w_q, x @ self.w_k and x @ self.w_v"
DRAW = "draw three matrices, one after another, from `rng` or a fresh default_rng()"
ALONE = "a call depends only on x, the mask and the layer's own weights"


def _injected(its, rng, d_model, d_k, d_v):
    """A layer with random weights that are known."""
    layer = its.SelfAttention(d_model, d_k=d_k, d_v=d_v, rng=its.make("np.random.default_rng(0)"))
    for name, width in zip(NAMES, (d_k, d_k, d_v), strict=True):
        layer.set(name, rng.normal(size=(d_model, width)) / np.sqrt(d_model))
    return layer


def _named(pair, where):
    """Weights before the output, because the output follows from them."""
    output, weights = pair
    return {f"weights {where}": weights, f"output {where}": output}


def _weights(its, seed=None):
    """The three weights of a new layer, made with a generator of its own if a seed is given."""
    given = {} if seed is None else {"rng": its.make(f"np.random.default_rng({seed})")}
    layer = its.SelfAttention(4, **given)
    return [np.asarray(layer.get(name)) for name in NAMES]


def _same(some, others):
    return [bool(np.allclose(one, other)) for one, other in zip(some, others, strict=True)]


@question("1.5", weight=2, advice="w_q, w_k are (d_model, d_k), w_v is (d_model, d_v)", read=READ)
def test_sizes(its):
    """Weights are (d_model, d_k) and (d_model, d_v); both widths default to d_model."""
    found = {}
    for sizes in ({"d_k": 3, "d_v": 4}, {"d_k": 3}, {"d_v": 4}, {}):
        layer = its.SelfAttention(5, **sizes)
        found |= {f"shape of {n}, given {sizes}": np.shape(layer.get(n)) for n in NAMES}
    return found


@question("1.5", weight=4, advice=CALL, read=READ)
def test_written_in_weights(its, rng):
    """With known weights: output and weights are those of the projected x, in a batch, masked."""
    layer, found = _injected(its, rng, 4, 4, 4), {}
    for shape, mask in (((5, 4), None), ((2, 3, 5, 4), None), ((2, 6, 4), np.tri(6, dtype=bool))):
        called = its.call(layer, rng.normal(size=shape), mask=mask)
        found |= _named(called.value, f"of shape {shape} under mask {mask is not None}")
        found[f"arguments that it changed, of shape {shape}"] = called.changed
    return found


@question("1.5", advice=ALONE, read="exercise 1.5")
def test_call_keeps_weights(its, rng):
    """A call leaves the weights unchanged, and a second call gives the same output."""
    layer, x = _injected(its, rng, 4, 4, 4), rng.normal(size=(3, 4))
    before, found = [layer.get(name) for name in NAMES], {}
    for call, mask in enumerate((None, np.eye(3, dtype=bool), None), 1):
        found |= _named(layer(x, mask), f"of call {call}")
    return found | {"weights are as before": _same(before, map(layer.get, NAMES))}


@question("1.5", weight=3, advice=DRAW, read=READ)
def test_three_different_weights(its):
    """A layer draws three different matrices from `rng`, and two layers differ."""
    generator = its.make("np.random.default_rng(11)")
    layers = [its.SelfAttention(4, rng=generator) for _ in range(2)]
    first, second = ([np.asarray(layer.get(name)) for name in NAMES] for layer in layers)
    turned = [*first[1:], first[0]]
    return {"w_q = w_k, w_k = w_v, w_v = w_q": _same(first, turned), "twins": _same(first, second)}


@question("1.5", weight=3, advice=DRAW, read="exercise 1.5")
def test_generators(its):
    """All weights come from `rng` alone; without it, layers differ and np.random is untouched."""
    its.make("np.random.random()")  # so that a later draw changes only the position, not the keys
    keys, position = its.make(STATE).get()
    first, second = _weights(its), _weights(its)
    after = its.make(STATE).get()
    seeds = [_weights(its, seed) for seed in (0, 1, 42, 1234)]
    return {
        "equal without `rng`": _same(first, second),
        "equal to weights of the seeds 0, 1, 42, 1234": [any(_same(first, s)) for s in seeds],
        "equal from generators of the same seed": _same(seeds[0], _weights(its, 0)),
        "equal from generators of different seeds": _same(seeds[0], seeds[1]),
        "a generator is made once, as a default argument": "Generator" in its.make(DEFAULTS).get(),
        "the global generator has the same seed": np.array_equal(keys, after[0]),
        "the global generator has drawn nothing": position == after[1],
    }
