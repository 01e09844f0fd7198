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


@question("1.5", weight=2, advice=CALL, read=READ)
def test_written_in_weights(its, rng):
    """With known weights: output and weights are those of the projected x, also in a batch."""
    layer, found = _injected(its, rng, 4, 4, 4), {}
    for shape in ((5, 4), (2, 3, 5, 4), (1, 4)):
        called = its.call(layer, rng.normal(size=shape))
        found |= _named(called.value, f"of shape {shape}")
        found[f"arguments that it changed, of shape {shape}"] = called.changed
    return found


@question("1.5", weight=2, advice=CALL, read="§3.2.3, last item")
def test_mask_reaches_attention(its, rng):
    """The layer passes its mask to attention."""
    layer, x = _injected(its, rng, 4, 3, 5), rng.normal(size=(2, 6, 4))
    return _named(layer(x, mask=np.tri(6, dtype=bool)), "under a causal mask")


@question("1.5", advice=ALONE, read="exercise 1.5")
def test_call_keeps_weights(its, rng):
    """A call leaves the weights unchanged, and a second call gives the same output."""
    layer, x = _injected(its, rng, 4, 4, 4), rng.normal(size=(3, 4))
    before, found = [layer.get(name) for name in NAMES], {}
    for call, mask in enumerate((None, np.eye(3, dtype=bool), None), 1):
        found |= _named(layer(x, mask), f"of call {call}")
    return found | {"w_q, w_k and w_v are as before": _same(before, map(layer.get, NAMES))}


@question("1.5", weight=3, advice=DRAW, read=READ)
def test_three_different_weights(its):
    """A layer draws three different matrices from `rng`, and two layers differ."""
    generator = its.make("np.random.default_rng(11)")
    layers = [its.SelfAttention(4, rng=generator) for _ in range(2)]
    first, second = ([np.asarray(layer.get(name)) for name in NAMES] for layer in layers)
    return {
        "equal to the next of the three": _same(first, [*first[1:], first[0]]),
        "equal in two layers of one generator": _same(first, second),
    }


@question("1.5", advice=DRAW, read="exercise 1.5")
def test_only_the_given_generator(its):
    """Generators with the same seed give the same layer, and nothing else affects it."""
    first, again, other = (_weights(its, seed) for seed in (7, 7, 8))
    return {
        "equal from generators of the same seed": _same(first, again),
        "equal from generators of different seeds": _same(first, other),
    }


@question("1.5", weight=2, advice=DRAW, read="exercise 1.5")
def test_generators(its):
    """Without `rng`, layers differ and NumPy's global generator is untouched."""
    its.make("np.random.random()")  # so that a later draw changes only the position, not the keys
    keys, position = its.make(STATE).get()
    first, second = _weights(its), _weights(its)
    keys_after, position_after = its.make(STATE).get()
    seeds = [_weights(its, seed) for seed in (0, 1, 42, 1234)]
    return {
        "equal in two layers without `rng`": _same(first, second),
        "drawn from the same numbers as with the seeds 0, 1, 42, 1234": [
            any(_same(first, one)) for one in seeds
        ],
        "a generator is made once, as a default argument": "Generator" in its.make(DEFAULTS).get(),
        "the global generator has the same seed": bool(np.array_equal(keys, keys_after)),
        "the global generator has drawn nothing": position == position_after,
    }
