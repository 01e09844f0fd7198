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


def _weights(its, seed=None):
    """The three weights of a new layer, made with a generator of its own if a seed is given."""
    given = {} if seed is None else {"rng": its.make(f"np.random.default_rng({seed})")}
    layer = its.SelfAttention(4, **given)
    return [np.asarray(layer.get(name)) for name in NAMES]


def _same(some, others):
    return [bool(np.allclose(one, other)) for one, other in zip(some, others, strict=True)]


@question("1.5", weight=4, advice=CALL, read=READ)
def test_written_in_weights(its, rng):
    """With known weights, which calls keep: attention of the projected x, in a batch, masked."""
    layer = its.SelfAttention(4)
    for name in NAMES:
        layer.set(name, rng.normal(size=(4, 4)) / 2)
    before, found = [layer.get(name) for name in NAMES], {}
    for shape, mask in (((2, 6, 4), np.tri(6, dtype=bool)), ((6, 4), None), ((2, 3, 5, 4), None)):
        output, weights = layer(rng.normal(size=shape), mask=mask)
        found |= {f"weights of shape {shape}": weights, f"output of shape {shape}": output}
    found["the layer's weights are as before"] = _same(before, map(layer.get, NAMES))
    narrow = its.SelfAttention(4, d_k=3)
    return found | {f"shape of {n}, given d_k = 3": np.shape(narrow.get(n)) for n in NAMES}


@question("1.5", weight=4, advice=DRAW, read="exercise 1.5")
def test_generators(its):
    """Three weights come from `rng` alone; without it, layers differ; np.random is untouched."""
    _weights(its)  # a generator that is kept has drawn before, whatever was asked until now
    its.make("np.random.random()")  # so that a later draw changes only the position, not the keys
    keys, position = its.make(STATE).get()
    first, second = _weights(its), _weights(its)
    after = its.make(STATE).get()
    seeds = [_weights(its, seed) for seed in (0, 1, 42, 1234)]
    generator = its.make("np.random.default_rng(11)")
    layers = [its.SelfAttention(4, rng=generator) for _ in range(2)]
    return {
        "w_q = w_k, w_k = w_v, w_v = w_q": _same(first, [*first[1:], first[0]]),
        "equal from one generator, one after the other": _same(
            *([one.get("w_q")] for one in layers)
        ),
        "equal without `rng`": _same(first, second),
        "equal to weights of the seeds 0, 1, 42, 1234": [any(_same(first, s)) for s in seeds],
        "equal from generators of the same seed": _same(seeds[0], _weights(its, 0)),
        "equal from generators of different seeds": _same(seeds[0], seeds[1]),
        "a generator is made once, as a default argument": "Generator" in its.make(DEFAULTS).get(),
        "the global generator has the same seed": np.array_equal(keys, after[0]),
        "the global generator has drawn nothing": position == after[1],
    }
