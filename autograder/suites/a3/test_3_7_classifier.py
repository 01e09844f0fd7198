"""Hidden tests of exercise 3.7: pooling over real tokens, and the classifier."""

import math

import torch

from autograder.suites.a3.answers import (
    answered,
    named_parts,
    no_weights_unasked,
    normal,
    only_one_rate,
)
from autograder.suites.a3.encoder_reference import classified, draw, encoder_shapes, mean
from course_lib.checking import expect
from course_lib.checking.exercise import exercise

POOLING = "exercise 3.7"
READ = "§3.1; exercise 3.7"
IDS = torch.tensor([[5, 3, 8, 2, 7], [4, 9, 1, 0, 0], [6, 0, 0, 0, 0]])


def pool(student, x, real, what, wanted=None):
    """The student's mean against ours, with named mistakes."""
    call = answered(
        lambda: student.call(student.masked_mean, x, real[:, None, None, :]),
        "take the mask's axes of size 1 out, and give it one for the features",
        POOLING,
    )
    expect.unchanged(call.changed)
    inner = x.nan_to_num(0.0)
    count = real.sum(1, keepdim=True)
    expect.close(
        call.value,
        mean(inner, real) if wanted is None else wanted,
        atol=1e-5,
        causes={
            "the mean runs over the padding too": inner.mean(1),
            "the sum over the real tokens is divided by n, padding included": (
                inner * real[..., None]
            ).mean(1),
            "the sum over the real tokens, not the mean": (inner * real[..., None]).sum(1),
            "the mask is inverted: the mean runs over the padding": mean(inner, ~real),
            "the largest value of each feature, not the mean": inner.masked_fill(
                ~real[..., None], -math.inf
            ).amax(1),
            "divided by the number of real tokens plus one": (inner * real[..., None]).sum(1)
            / (count + 1),
        },
        otherwise="the sum over the real tokens, divided by their number",
        read=POOLING,
        what=what,
    )


@exercise("3.7", weight=2)
def test_masked_mean(student, rng):
    """The mean over the real tokens, divided by their number."""
    real = IDS != 0
    pool(student, normal(rng, 3, 5, 4) + 1, real, "masked_mean(x, mask)")
    scattered = torch.tensor([[0, 1, 1, 0, 1], [1, 0, 0, 0, 1], [0, 0, 0, 1, 0]]).bool()
    pool(student, normal(rng, 3, 5, 4), scattered, "masked_mean with padding in between")


@exercise("3.7")
def test_padding_holds_anything(student, rng):
    """What stands at the padding does not count, not even when it is NaN or infinite."""
    x, real = normal(rng, 3, 5, 4), IDS != 0
    for junk in (1e6, math.inf, math.nan):
        dirty = x.masked_fill(~real[..., None], junk)
        call = student.call(student.masked_mean, dirty, real[:, None, None, :])
        expect.close(
            call.value,
            mean(x, real),
            atol=1e-5,
            causes={
                "0 · NaN is NaN: replace what stands at the padding (`masked_fill`), instead of "
                "multiplying it by 0": (dirty * real[..., None]).sum(1) / real.sum(1, keepdim=True),
                "the mean runs over the padding too": dirty.mean(1),
            },
            otherwise="replace what stands at the padding before the sum (`masked_fill`)",
            read=POOLING,
            what=f"the mean, with {junk} at the padding",
        )


@exercise("3.7")
def test_nothing_but_padding(student, rng):
    """A sentence without any real token gives zeros, never NaN."""
    x, real = normal(rng, 2, 4, 3), torch.zeros(2, 4, dtype=torch.bool)
    real[1, :2] = True
    call = student.call(student.masked_mean, x, real[:, None, None, :])
    wanted = mean(x, real)
    nothing = ~real.any(1, keepdim=True)
    expect.close(
        call.value,
        wanted,
        atol=1e-5,
        causes={
            "0 / 0 is NaN: divide by at least 1": wanted.masked_fill(nothing, math.nan),
            "without real tokens the padding is averaged": torch.where(nothing, x.mean(1), wanted),
        },
        otherwise="zeros for a sentence without any real token",
        read=POOLING,
        what="the mean of a sentence of nothing but padding, and of another",
    )


def build(student, rng, pooling="mean", norm_first=False, pad_id=0, dropout=0.1, **options):
    """The student's classifier with fresh weights, in evaluation mode."""
    module = student.EncoderClassifier(
        10, 3, 2, 8, 2, 12, dropout, norm_first, pooling=pooling, pad_id=pad_id, **options
    )
    shapes = {"embedding.tokens.weight": (10, 8), "output.weight": (3, 8), "output.bias": (3,)}
    own = encoder_shapes(2, 8, 12, norm_first)
    shapes |= {f"encoder.{name}": shape for name, shape in own.items()}
    named_parts(
        module,
        shapes,
        "the parts `embedding`, `encoder`, `dropout` and `output`, of the sizes asked for",
        "the docstring of 3.7",
    )
    state = draw(rng, shapes)
    state["embedding.tokens.weight"][pad_id] = 0.0
    module.load_state_dict(state)
    module.eval()
    return module, state


def compare(module, ids, state, pooling="mean", norm_first=False, pad_id=0, scale=1.0):
    call = answered(
        lambda: module(ids, need_weights=True),
        "embedding, encoder, one vector a sentence, dropout, output",
        READ,
    )
    logits, weights = expect.parts(call, 2, otherwise="return (logits, weights)", read=READ)
    last = torch.stack([row.nonzero()[-1, 0] for row in ids != pad_id])
    rows = torch.arange(len(ids))
    ways = {
        "mean": mean,
        "cls": lambda x, _: x[:, 0],
        "every": lambda x, _: x.mean(1),
        "n": lambda x, real: (x * real[..., None]).mean(1),
        "last": lambda x, _: x[:, -1],
        "last real": lambda x, _: x[rows, last],
        "largest": lambda x, _: x.amax(1),
    }

    def made(way=pooling, masked=True, pad_id=pad_id, scale=scale):
        return classified(
            ids, state, 2, norm_first, pad_id, pool=ways[way], masked=masked, scale=scale
        )

    causes = {
        "pooling is not used: this is the mean" if pooling == "cls" else "this is 'cls'": made(
            "mean" if pooling == "cls" else "cls"
        ),
        "the mean runs over the padding too": made("every"),
        "the sum is divided by n, padding included": made("n"),
        "the last token is taken: 'cls' is the first one": made("last"),
        "the last real token is taken: 'cls' is the first one": made("last real"),
        "the largest value of each feature, not the mean": made("largest"),
        "the mask is not passed on to the encoder: padding is attended to": made(masked=False),
    }
    wanted, maps = made()
    causes = {name: found[0] for name, found in causes.items()} | {
        "probabilities: return the logits, as the linear layer gives them": wanted.softmax(-1),
        "log probabilities: return the logits, as the linear layer gives them": (
            wanted.log_softmax(-1)
        ),
        "a sigmoid of the logits: return them as they are": wanted.sigmoid(),
    }
    if pad_id:
        causes["pad_id is not passed on: 0 is taken for the padding"] = made(pad_id=0)[0]
    if scale != 1:
        causes["position_scale is not passed on to the embedding"] = made(scale=1.0)[0]
    expect.close(
        logits,
        wanted,
        atol=1e-3,
        rtol=1e-4,
        causes=causes,
        otherwise="embedding, encoder, one vector a sentence, dropout, output",
        read=READ,
        what=f"the logits with pooling={pooling!r}, norm_first={norm_first}",
    )
    for number, want in enumerate(maps):
        expect.true(
            isinstance(weights, (list, tuple)) and len(weights) == len(maps),
            expected=f"the weights of {len(maps)} layers",
            got=type(weights).__name__,
            otherwise="return what the encoder gives, one tensor a layer",
            read=READ,
        )
        expect.close(weights[number], want, atol=1e-3, what=f"the weights of layer {number}")


@exercise("3.7", weight=2)
def test_logits(student, rng):
    """Embedding, encoder, mean over the real tokens, linear layer; both orders of the norm."""
    for norm_first in (False, True):
        module, state = build(student, rng, norm_first=norm_first)
        compare(module, IDS, state, norm_first=norm_first)


@exercise("3.7")
def test_pad_id_of_the_embedding(student):
    """`pad_id` reaches the embedding: its row is the one that starts at zero."""
    module = student.EncoderClassifier(10, 2, 1, 8, 2, 12, pad_id=3)
    rows = module.state_dict()["embedding.tokens.weight"].square().sum(1)
    zero = [number for number, size in enumerate(rows.tolist()) if size == 0]
    expect.equal(
        zero,
        [3],
        causes={"pad_id is not passed on to the embedding: its padding is still 0": [0]},
        otherwise="hand pad_id to the embedding, by name",
        read="exercise 3.7",
        what="the rows of the embedding that are zero, with pad_id = 3,",
    )


@exercise("3.7")
def test_position_scale(student, rng):
    """`position_scale` reaches the embedding."""
    module, state = build(student, rng, position_scale=0.25)
    compare(module, IDS, state, scale=0.25)


@exercise("3.7")
def test_first_token(student, rng):
    """Pooling "cls" takes the first token; another word is refused."""
    module, state = build(student, rng, "cls")
    compare(module, IDS, state, "cls")
    expect.raises(
        lambda: student.EncoderClassifier(10, 2, 1, 8, 2, 12, pooling="max"),
        mentions=["max"],
        because="a misspelt pooling must not go unnoticed",
        otherwise="a ValueError that names the pooling that was given",
        read="the docstring of 3.7",
    )


@exercise("3.7", weight=2)
def test_more_padding_changes_nothing(student, rng):
    """A sentence has the same logits however far its batch is padded, whatever pad_id is."""
    for pad_id in (0, 3):
        ids = torch.where(IDS == 0, pad_id, torch.where(pad_id == IDS, 9, IDS))
        module, state = build(student, rng, pad_id=pad_id)
        compare(module, ids, state, pad_id=pad_id)
        longer = torch.cat([ids, torch.full((3, 4), pad_id)], dim=1)
        compare(module, longer, state, pad_id=pad_id)


@exercise("3.7")
def test_dropout(student, rng):
    """Dropout before the linear layer, in training only; the rate reaches every part."""
    module, state = build(student, rng, dropout=1.0)
    compare(module, IDS, state)
    module.train()
    only_one_rate(student, module, "the embedding, the encoder and the last dropout", IDS)
    # what the encoder makes of dropped embeddings and sub-layers: its last norm's offset
    rest = state["encoder.layers.1.feed_forward_residual.norm.bias"]
    whole = rest @ state["output.weight"].T + state["output.bias"]
    expect.close(
        expect.parts(module(IDS), 2)[0],
        state["output.bias"].expand(3, 3),
        atol=1e-4,
        causes={"the dropout before the linear layer is missing": whole.expand(3, 3)},
        otherwise="with a rate of 1 the pooled vector is dropped and only the bias remains",
        read="the docstring of 3.7",
        what="the logits in training mode, dropout = 1",
    )


@exercise("3.7")
def test_weights_only_when_asked_for(student, rng):
    """(logits, None) when nobody asks for weights."""
    module, _ = build(student, rng)
    no_weights_unasked(module, IDS, "the docstring of 3.7")
