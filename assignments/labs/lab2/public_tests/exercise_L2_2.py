"""The visible checks of exercise L2.2: the loss of the gaps."""

import torch
from torch.nn import functional as F

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

MODEL = ("lambda ids, segments=None, at=None: "
         "(table[ids] if at is None else table[ids][at], follows)")
TABLE = torch.randn(9, 9, generator=torch.Generator().manual_seed(1))
TOKENS = torch.tensor([[4, 7, 6, 8, 5], [4, 6, 6, 8, 5]])
BEST = int(TABLE[7].argmax())  # so that one gap is filled rightly
TARGETS = torch.tensor([[-100, BEST, 8, -100, -100], [-100, -100, 7, -100, -100]])
FOLLOWS = torch.tensor([[2.0, -1.0], [0.5, 0.0]])
ASKED = TARGETS >= 0
LOGITS, WANTED = TABLE[TOKENS][ASKED], TARGETS[ASKED]
LOSS = F.cross_entropy(LOGITS, WANTED)


def found(student, targets=TARGETS, *more, **how):
    model = student.make(MODEL, table=TABLE, follows=FOLLOWS)
    return expect.parts(student.masked_language_loss(model, TOKENS, targets, *more, **how), 2,
                        otherwise="return the loss and a dict", read="exercise L2.2")


@exercise("L2.2", weight=2)
def test_gaps_alone(student):
    """The mean cross-entropy of what is asked for, and the share of it that is right."""
    loss, measures = found(student)
    expect.close(
        loss, LOSS, atol=1e-5,
        otherwise="the tokens whose target is not below 0", read="§3.4")
    right = (LOGITS.argmax(-1) == WANTED).float()
    expect.close(measures["accuracy"], right.mean(), atol=1e-5, what="accuracy", read="§3.4",
                 otherwise="the share of the gaps whose most likely word is the one that is asked")


@exercise("L2.2", beside=["test_gaps_alone"])
def test_nothing_asked(student):
    """Without a gap, the loss is 0."""
    loss, _ = found(student, torch.full_like(TARGETS, -100))
    expect.close(loss, 0.0, what="the loss without a gap", read="exercise L2.2",
                 )


@exercise("L2.2")
def test_next_sentence(student):
    """With `unrelated`, the loss of telling whether the second segment follows is added."""
    unrelated, segments = torch.tensor([0, 1]), torch.zeros_like(TOKENS)
    more = F.cross_entropy(FOLLOWS, unrelated)
    loss, measures = found(student, TARGETS, segments, unrelated)
    expect.close(loss, LOSS + more, atol=1e-5, what="the loss of both tasks",
                 read="Devlin et al. 2019, section 3.1")
    expect.close(measures["next_accuracy"], 0.5, what="next_accuracy", read="exercise L2.2")
