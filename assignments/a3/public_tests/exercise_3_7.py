"""The visible checks of exercise 3.7: pooling and classifier."""

import math

import numpy as np
import torch

from grader.checking.question import question, refusal

SENTENCES = torch.tensor([[5, 7, 6], [4, 8, 0], [3, 4, 5]])  # two real tokens in the second
MASK = (SENTENCES != 0)[:, None, None, :]
PARTS = ["masked_mean"]


def build(its, **options):
    """A classifier in evaluation mode, with drawn parameters."""
    module = its.EncoderClassifier(9, 3, 1, 4, 2, 6, **options)
    draw, state = np.random.RandomState(0).randn, module.state_dict()
    state = {n: torch.tensor(draw(*state[n].shape), dtype=torch.float32) for n in sorted(state)}
    module.load_state_dict(state)
    module.eval()
    return module


@question("3.7", weight=2, advice="fill padding with 0; divide by at least 1", read="exercise 3.7")
def test_mean_of_nothing(its):
    """Padding does not count, even NaN, and a sentence without any real token gives zeros."""
    x = torch.arange(6.0).reshape(1, 3, 2)
    x[0, 2] = math.nan
    called = its.call(its.masked_mean, x, MASK[1:2])
    three = its.masked_mean(torch.arange(18.0).reshape(3, 3, 2), MASK)
    found = {
        "of three": three,
        "with NaN": called.value,
        "arguments that it changed": called.changed,
    }
    return found | {"of nothing": its.masked_mean(x, MASK[:1] & False)}


@question(
    "3.7", weight=2, builds_on=PARTS, advice="embed, encode, pool, output", read="exercise 3.7"
)
def test_padding_changes_nothing(its):
    """The logits of sentences of several lengths, with either pooling, in both orders."""
    kinds = ({}, {"pooling": "cls"}, {"norm_first": True})
    found = {f"the logits with {one}": build(its, **one)(SENTENCES)[0] for one in kinds}
    for one in ({}, {"need_weights": True}):
        found[f"the weights are None with {one}"] = build(its)(SENTENCES, **one)[1] is None
    return found


@question(
    "3.7",
    weight=2,
    builds_on=PARTS,
    advice="its own dropout, before the linear layer",
    read="exercise 3.7",
)
def test_dropout_of_the_classifier(its):
    """With dropout 1 only the output's bias is left, of the embedding's vectors nothing."""
    module = build(its, dropout=1.0)
    module.train()
    found = {"the logits": module(SENTENCES)[0], "vectors": module.get("embedding")(SENTENCES)}
    return found | {"the encoder's output": module.get("encoder")(torch.ones(1, 2, 4))[0]}


@question("3.7", weight=2, builds_on=PARTS, advice="pass them on by name", read="exercise 3.7")
def test_what_goes_on_to_the_embedding(its):
    """`pad_id` reaches mask and embedding, `position_scale` the embedding."""
    new = its.EncoderClassifier(9, 2, 1, 4, 2, 6, pad_id=4).state_dict()
    zero = [i for i, row in enumerate(new["embedding.tokens.weight"]) if not row.any()]
    module = build(its, pad_id=4, position_scale=0.5)
    return {"rows of zeros, with pad_id = 4": zero, "the logits": module(SENTENCES)[0]}


@question(
    "3.7",
    0.5,
    corner=True,
    builds_on=PARTS,
    needs_one_of=["test_padding_changes_nothing"],
    read="exercise 3.7",
)
def test_unknown_pooling(its):
    """An unknown pooling raises a ValueError that names it."""
    return {"pooling 'largest'": refusal(lambda: build(its, pooling="largest"), ["largest"])}
