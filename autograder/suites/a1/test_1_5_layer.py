"""Hidden tests of exercise 1.5: a self-attention layer with weights of its own."""

import numpy as np

from autograder.suites.a1.substitutes import attention, project_qkv
from course_lib.checking import expect
from course_lib.checking.exercise import exercise

READ = "§3.2.2"
NAMES = ("w_q", "w_k", "w_v")
GLOBAL_STATE = "(lambda s: [s[1].copy(), s[2]])(np.random.get_state())"


def _injected(student, rng, d_model, d_k, d_v):
    """A layer whose weights are written in, and the weights."""
    layer = student.SelfAttention(
        d_model, d_k=d_k, d_v=d_v, rng=student.make("np.random.default_rng(0)")
    )
    weights = [rng.normal(size=(d_model, width)) for width in (d_k, d_k, d_v)]
    for name, weight in zip(NAMES, weights, strict=True):
        layer.set(name, weight)
    return layer, weights


def _parts(got):
    return expect.parts(got, 2, otherwise="return output, weights", read=READ)


@exercise("1.5")
def test_sizes(student):
    """Weights are (d_model, d_k) and (d_model, d_v); d_k and d_v default to d_model each."""
    for sizes, widths in (
        ({"d_k": 3, "d_v": 4}, (3, 3, 4)),
        ({"d_k": 3}, (3, 3, 5)),
        ({"d_v": 4}, (5, 5, 4)),
    ):
        layer = student.SelfAttention(5, **sizes)
        for name, width in zip(NAMES, widths, strict=True):
            got = np.shape(layer.get(name))
            expect.true(
                got == (5, width), expected=f"{name} of shape {(5, width)} with {sizes}",
                got=f"shape {got}", read=READ,
                otherwise="transposed: x @ w needs (d_model, width)" if got == (width, 5)
                else "d_v defaults to d_model, not to d_k" if name == "w_v" and got == (5, 3)
                else "w_q and w_k are (d_model, d_k), w_v is (d_model, d_v)",
            )  # fmt: skip


@exercise("1.5", weight=2)
def test_written_in_weights(student, rng):
    """With weights written in: the projections of x attend to each other, also in a batch."""
    layer, (w_q, w_k, w_v) = _injected(student, rng, 4, 4, 4)
    for x in (rng.normal(size=(5, 4)), rng.normal(size=(2, 3, 5, 4))):
        query, key, value = project_qkv(x, w_q, w_k, w_v)
        called = student.call(layer, x)
        output, weights = _parts(called.value)
        expect.unchanged(called.changed)
        expect.close(
            weights, attention(query, key, value)[1], atol=1e-5, what="weights", read=READ,
            causes={
                "one weight is used for queries and keys": attention(query, query, value)[1],
                "x attends without its projections": attention(x, x, value)[1],
                "queries and keys are exchanged": attention(key, query, value)[1],
                "the weights are transposed in the call": attention(x @ w_q.T, x @ w_k.T, value)[1],
            },
            otherwise="use self.w_q and self.w_k as they are at the moment of the call",
        )  # fmt: skip
        expect.close(
            output, attention(query, key, value)[0], atol=1e-5, what="output", read=READ,
            causes={
                "x is mixed instead of its values": attention(query, key, x)[0],
                "the keys are mixed instead of the values": attention(query, key, key)[0],
                "the input is added: a residual connection comes later in the course": (
                    x + attention(query, key, value)[0]
                ),
            },
            otherwise="the weights are right: mix the values x @ w_v",
        )  # fmt: skip


@exercise("1.5", weight=2)
def test_mask_reaches_attention(student, rng):
    """The layer hands its mask on."""
    layer, weights = _injected(student, rng, 4, 3, 5)
    x, mask = rng.normal(size=(2, 6, 4)), np.tri(6, dtype=bool)
    query, key, value = project_qkv(x, *weights)
    output, got = _parts(layer(x, mask=mask))
    want, want_weights = attention(query, key, value, mask)
    expect.close(
        got, want_weights, atol=1e-5, what="weights under a causal mask", read="§3.2.3, last item",
        causes={
            "the layer ignores its mask": attention(query, key, value)[1],
            "the mask is inverted on its way": attention(query, key, value, ~mask)[1],
        },
        otherwise="attention(query, key, value, mask)",
    )  # fmt: skip
    expect.close(output, want, atol=1e-5, what="output", otherwise="mix with the masked weights")


@exercise("1.5")
def test_call_keeps_weights(student, rng):
    """A call draws nothing: weights stay, and the second answer is the first."""
    layer = student.SelfAttention(4, rng=student.make("np.random.default_rng(5)"))
    x = rng.normal(size=(3, 4))
    before = [layer.get(name) for name in NAMES]
    first, second = (_parts(layer(x))[0] for _ in range(2))
    for name, weight in zip(NAMES, before, strict=True):
        expect.close(
            layer.get(name), weight, what=f"{name} after a call", read="exercise 1.5",
            otherwise="the weights are drawn anew in the call: draw them in __init__, once",
        )  # fmt: skip
    expect.close(
        second, first, what="the output of a second call", read="exercise 1.5",
        otherwise="the weights are drawn anew in the call: draw them in __init__, once",
    )  # fmt: skip


@exercise("1.5")
def test_three_different_weights(student):
    """Three matrices drawn one after the other from `rng`, and two layers that differ."""
    generator = student.make("np.random.default_rng(11)")
    drawn = {
        f"{name} of the {nth} layer": np.asarray(layer.get(name))
        for nth, layer in (
            ("first", student.SelfAttention(4, rng=generator)),
            ("second", student.SelfAttention(4, rng=generator)),
        )
        for name in NAMES
    }
    labels = list(drawn)
    for i, one in enumerate(labels):
        for other in labels[:i]:
            same_layer = one.split()[-2] == other.split()[-2]
            expect.true(
                drawn[one].shape != drawn[other].shape or not np.allclose(drawn[one], drawn[other]),
                expected=f"{one} different from {other}", got="the same numbers",
                otherwise="one matrix is shared: draw three, one after the other" if same_layer
                else "every layer starts from the same seed: draw from the `rng` that is given",
                read=READ,
            )  # fmt: skip


@exercise("1.5")
def test_generators(student):
    """Without `rng` a fresh generator serves: layers differ, NumPy's global one is untouched."""
    student.make("np.random.random()")  # away from the end of a block, where one draw renews all
    keys, position = student.make(GLOBAL_STATE).get()
    first, second = (np.asarray(student.SelfAttention(4).get("w_q")) for _ in range(2))
    keys_after, position_after = student.make(GLOBAL_STATE).get()
    expect.true(
        np.array_equal(keys, keys_after), expected="NumPy's global generator as it was",
        got="another state", read="exercise 1.5",
        otherwise="np.random.seed reseeds the whole notebook: use np.random.default_rng()",
    )  # fmt: skip
    expect.true(
        position == position_after, expected="NumPy's global generator as it was",
        got="numbers drawn from it", read="exercise 1.5",
        otherwise="np.random.randn draws from the global generator: use `rng`",
    )  # fmt: skip
    expect.true(
        not np.allclose(first, second), expected="two layers with weights of their own",
        got="the same w_q in both", read="exercise 1.5",
        otherwise="a fixed seed stands in for the missing `rng`: np.random.default_rng()",
    )  # fmt: skip
