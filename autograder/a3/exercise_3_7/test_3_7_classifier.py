"""Hidden tests of exercise 3.7: the classifier, and the mean over the real tokens."""

import math

import torch

from autograder.a2.by_default import by_default
from autograder.a3.tensors import filled, normal
from grader.checking.question import question, refusal

READ = "§3.1; exercise 3.7"
IDS = torch.tensor([[5, 3, 8, 2, 7], [4, 9, 1, 0, 0], [6, 0, 0, 0, 0]])
WAY = "embedding, encoder, one vector per sentence, dropout, output"
PARTS = ["masked_mean"]
REAL = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0]]).bool()
SCATTERED = torch.tensor([[0, 1, 1, 0, 1], [1, 0, 0, 0, 1], [0, 0, 0, 1, 0]]).bool()


def build(its, rng, pooling="mean", norm_first=False, pad_id=0, dropout=0.1, **options):
    """The classifier with drawn weights, in evaluation mode."""
    sizes = (10, 3, 2, 8, 2, 12, dropout, norm_first)
    module = its.EncoderClassifier(*sizes, pooling=pooling, pad_id=pad_id, **options)
    return filled(module, rng, pad_id)


@question("3.7", weight=3, builds_on=PARTS, advice=WAY, read=READ)
def test_logits(its, rng):
    """Embedding, encoder, one vector, linear layer; either pooling, post-norm and pre-norm."""
    found = {"the weights unasked": build(its, rng)(IDS)[1]}
    for options in ({}, {"norm_first": True}, {"pooling": "cls"}):
        logits, weights = build(its, rng, **options)(IDS, need_weights=True)
        found |= {f"the logits with {options}": logits}
        found |= {f"weights {i} with {options}": one for i, one in enumerate(weights)}
    return found


@question(
    "3.7", weight=3, builds_on=PARTS, advice="pass `pad_id` and `position_scale` on", read=READ
)
def test_more_padding_changes_nothing(its, rng):
    """Padding does not change the logits, whatever pad_id is; its embedding starts at zero."""
    state = its.EncoderClassifier(10, 2, 1, 8, 2, 12, pad_id=3).state_dict()
    zero = (state["embedding.tokens.weight"] == 0).all(dim=1)
    found = {
        "the rows of the embedding that are zero": zero.nonzero().flatten().tolist(),
        "the logits, position_scale=0.25": build(its, rng, position_scale=0.25)(IDS)[0],
    }
    for pad_id in (0, 3):
        ids = torch.where(IDS == 0, pad_id, torch.where(pad_id == IDS, 9, IDS))
        module = build(its, rng, pad_id=pad_id)
        for more in (0, 4):
            longer = torch.nn.functional.pad(ids, (0, more), value=pad_id)
            found[f"the logits with {more} more tokens of {pad_id}"] = module(longer)[0]
    return found


@question(
    "3.7", weight=3, builds_on=PARTS, advice="pass dropout to every part", read="exercise 3.7"
)
def test_dropout(its, rng):
    """Dropout before the linear layer, in training only; the rate reaches every part."""
    module = build(its, rng, dropout=1.0)
    found = {"the logits in evaluation mode, dropout = 1": module(IDS)[0]}
    module.train()
    inside = module.get("encoder")(normal(rng, 1, 4, 8))[0]
    found |= {"in training mode": module(IDS)[0], "the encoder's output": inside}
    sizes = {"d_model": 8, "d_ff": 4}
    found |= by_default(its, "EncoderClassifier", IDS, rest=[10], **sizes)
    return found | {"the embedding's output": module.get("embedding")(IDS)}


@question(
    "3.7", 0.5, corner=True, builds_on=PARTS, advice="raise a ValueError", read="exercise 3.7"
)
def test_unknown_pooling(its, rng):
    """An unknown pooling is refused by its name."""
    return {name: refusal(lambda n=name: build(its, rng, n), [name]) for name in ("max", "Mean")}


@question("3.7", weight=2, advice="`masked_fill`, sum, divide by 1 or more", read="exercise 3.7")
def test_masked_mean(its, rng):
    """The mean over the real tokens, whatever is at the padding; no real token gives zeros."""
    x = 1 + normal(rng, 3, 5, 4)
    cases = {"three": (x, REAL), "others": (x, SCATTERED), "one": (x[:1], REAL[1:2])}
    cases |= {"single tokens": (x[:, :1], REAL[:, :1]), "no real token": (x, REAL & False)}
    for junk in (1e6, math.inf, math.nan):
        cases[f"three, beside {junk}"] = x.masked_fill(~REAL[..., None], junk), REAL
    found = {}
    for name, (x, real) in cases.items():
        called = its.call(its.masked_mean, x, real[:, None, None])
        found |= {f"the mean of {name}": called.value, f"changed, {name}": called.changed}
    return found
