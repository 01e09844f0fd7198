"""The visible checks of exercise L2.2: the loss of the gaps."""

import numpy as np
import torch

from grader.checking.question import question

MODEL = ("lambda ids, segments=None, at=None: "
         "(table[ids] if at is None else table[ids][at], follows)")  # fmt: skip
TABLE = torch.from_numpy(np.random.RandomState(1).randn(9, 9)).float()
TOKENS = torch.tensor([[4, 7, 6, 8, 5], [4, 6, 6, 8, 5]])
BEST = int(TABLE[7].argmax())  # so that one gap is filled rightly
TARGETS = torch.tensor([[-100, BEST, 8, -100, -100], [-100, -100, 0, -100, -100]])
FOLLOWS = torch.tensor([[2.0, -1.0], [0.5, 0.0]])


def _loss(its, targets, *more):
    model = its.make(MODEL, table=TABLE, follows=FOLLOWS)
    loss, measures = its.masked_language_loss(model, TOKENS, targets, *more)
    return {"loss": loss} | measures


@question("L2.2", weight=2, advice="the tokens whose target is not below 0", read="§3.4")
def test_gaps_alone(its):
    """The mean cross-entropy of what is asked for, and the share of it that is right."""
    return _loss(its, TARGETS)


@question("L2.2", beside=["test_gaps_alone"], advice="divide by at least 1", read="exercise L2.2")
def test_nothing_asked(its):
    """Without a gap, the loss is 0."""
    return {"loss without a gap": _loss(its, torch.full_like(TARGETS, -100))["loss"]}


@question("L2.2", advice="add the second loss", read="Devlin et al. 2019, section 3.1")
def test_next_sentence(its):
    """With `unrelated`, the loss of telling whether the second segment follows is added."""
    return _loss(its, TARGETS, torch.zeros_like(TOKENS), torch.tensor([0, 1]))
