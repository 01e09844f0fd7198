"""Hidden tests of exercise 3.7: the classifier."""

import torch

from autograder.a3.answers import (
    answered,
    named_parts,
    no_weights_unasked,
    only_one_rate,
)
from autograder.a3.encoder_reference import classified, draw, encoder_shapes, mean, norm
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.1; exercise 3.7"
IDS = torch.tensor([[5, 3, 8, 2, 7], [4, 9, 1, 0, 0], [6, 0, 0, 0, 0]])


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
        "the parts `embedding`, `encoder`, `dropout` and `output`, of the given sizes",
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
        "embedding, encoder, one vector per sentence, dropout, output",
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

    wanted, maps = made()

    def causes():
        found = {
            "pooling is not used: this is the mean" if pooling == "cls" else "this is 'cls'": made(
                "mean" if pooling == "cls" else "cls"
            ),
            MISTAKE.mean_over_padding: made("every"),
            "the sum is divided by n, padding included": made("n"),
            MISTAKE.classifier_last_token: made("last"),
            "the last real token is used: 'cls' is the first one": made("last real"),
            "the largest value of each feature, not the mean": made("largest"),
            MISTAKE.classifier_pads_attended: made(masked=False),
        }
        found = {name: one[0] for name, one in found.items()} | {
            MISTAKE.classifier_probabilities: wanted.softmax(-1),
            "log probabilities: return the logits, the output of the linear layer": (
                wanted.log_softmax(-1)
            ),
            "a sigmoid of the logits: return them as they are": wanted.sigmoid(),
        }
        if pad_id:
            found[MISTAKE.classifier_pad_id_not_passed_on] = made(pad_id=0)[0]
        if scale != 1:
            found[MISTAKE.classifier_position_scale_dropped] = made(scale=1.0)[0]
        return found

    expect.close(
        logits,
        wanted,
        atol=1e-3,
        rtol=1e-4,
        otherwise="embedding, encoder, one vector per sentence, dropout, output",
        read=READ,
        what=f"the logits with pooling={pooling!r}, norm_first={norm_first}",
    )
    for number, want in enumerate(maps):
        expect.true(
            isinstance(weights, (list, tuple)) and len(weights) == len(maps),
            expected=f"the weights of {len(maps)} layers",
            got=type(weights).__name__,
            otherwise="return the encoder's weights, one tensor per layer",
            read=READ,
        )
        expect.close(weights[number], want, atol=1e-3, what=f"the weights of layer {number}")


@exercise("3.7", weight=2, after=["masked_mean"])
def test_logits(student, rng):
    """Embedding, encoder, mean over the real tokens, linear layer; post-norm and pre-norm."""
    for norm_first in (False, True):
        module, state = build(student, rng, norm_first=norm_first)
        compare(module, IDS, state, norm_first=norm_first)


@exercise("3.7", after=["masked_mean"])
def test_pad_id_of_the_embedding(student):
    """`pad_id` reaches the embedding: the padding row starts at zero."""
    module = student.EncoderClassifier(10, 2, 1, 8, 2, 12, pad_id=3)
    rows = module.state_dict()["embedding.tokens.weight"].square().sum(1)
    zero = [number for number, size in enumerate(rows.tolist()) if size == 0]
    expect.equal(
        zero,
        [3],
        otherwise="pass pad_id to the embedding, by name",
        read="exercise 3.7",
        what="the rows of the embedding that are zero, with pad_id = 3,",
    )


@exercise("3.7", after=["masked_mean"])
def test_position_scale(student, rng):
    """`position_scale` reaches the embedding."""
    module, state = build(student, rng, position_scale=0.25)
    compare(module, IDS, state, scale=0.25)


@exercise("3.7", after=["masked_mean"])
def test_first_token(student, rng):
    """Pooling "cls" takes the first token; an unknown pooling raises a ValueError."""
    module, state = build(student, rng, "cls")
    compare(module, IDS, state, "cls")
    expect.raises(
        lambda: student.EncoderClassifier(10, 2, 1, 8, 2, 12, pooling="max"),
        mentions=["max"],
        otherwise="raise a ValueError that names the given pooling",
        read="the docstring of 3.7",
    )


@exercise("3.7", weight=2, after=["masked_mean"])
def test_more_padding_changes_nothing(student, rng):
    """Extra padding does not change a sentence's logits, whatever pad_id is."""
    for pad_id in (0, 3):
        ids = torch.where(IDS == 0, pad_id, torch.where(pad_id == IDS, 9, IDS))
        module, state = build(student, rng, pad_id=pad_id)
        compare(module, ids, state, pad_id=pad_id)
        longer = torch.cat([ids, torch.full((3, 4), pad_id)], dim=1)
        compare(module, longer, state, pad_id=pad_id)


@exercise("3.7", after=["masked_mean"])
def test_dropout(student, rng):
    """Dropout before the linear layer, in training only; the rate reaches every part."""
    module, state = build(student, rng, dropout=1.0)
    compare(module, IDS, state)
    module.train()
    only_one_rate(student, module, "the embedding, the encoder and the last dropout", IDS)
    rest = torch.zeros(1, 8)  # the encoder's output when embeddings and sub-layers are dropped
    for number in (0, 1):
        for part in ("attention_residual.", "feed_forward_residual."):
            rest = norm(rest, state, f"encoder.layers.{number}.{part}")
    whole = rest @ state["output.weight"].T + state["output.bias"]
    expect.close(
        expect.parts(module(IDS), 2)[0],
        state["output.bias"].expand(3, 3),
        atol=1e-4,
        otherwise="with a rate of 1 the pooled vector is dropped and only the bias remains",
        read="the docstring of 3.7",
        what="the logits in training mode, dropout = 1",
    )


@exercise("3.7", after=["masked_mean"])
def test_weights_only_when_asked_for(student, rng):
    """Without `need_weights` the result is (logits, None)."""
    module, _ = build(student, rng)
    no_weights_unasked(module, IDS, "the docstring of 3.7")
