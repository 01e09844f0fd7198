"""The visible checks of exercise L2.3: how well gaps are filled."""

import torch
from torch.nn import functional as F

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# One table: logits of each token, with dropout in training; and batches that know their epoch.
MODEL = (
    "type('Model', (torch.nn.Embedding,), {'forward': lambda self, ids, segments=None, at=None: "
    "(lambda logits: (logits if at is None else logits[at], None))(torch.nn.functional.dropout("
    "torch.nn.functional.embedding(ids, self.weight), 0.5, self.training))}"
    ").from_pretrained(table)"
)
BATCHES = (
    "(lambda made: (setattr(made, 'epoch', 3), made)[1])(type('Batches', (list,), {"
    "'set_epoch': lambda self, epoch: setattr(self, 'epoch', epoch)})(batches))"
)
TABLE = torch.randn(9, 9, generator=torch.Generator().manual_seed(1))
TOKENS = torch.tensor([[4, 7, 6, 8, 5], [4, 6, 6, 8, 5]])
BEST = int(TABLE[7].argmax())  # so that one gap is filled rightly
TARGETS = [torch.tensor([[-100, BEST, 8, 8, -100], [-100, 6, 6, 7, -100]]),
           torch.tensor([[-100, 6, -100, -100, -100], [-100] * 5])]
LOSSES = [F.cross_entropy(TABLE[TOKENS].flatten(0, 1), asked.flatten()) for asked in TARGETS]
RIGHT = [float((TABLE[TOKENS].argmax(-1) == asked).sum()) for asked in TARGETS]
WEIGHTED = torch.stack([LOSSES[0] * 6, LOSSES[1] * 1]).sum() / 7


def measured(student, training=False):
    model, batches = student.make(MODEL, table=TABLE), student.make(
        BATCHES, batches=[(TOKENS, asked) for asked in TARGETS])
    model.train() if training else model.eval()
    return model, batches, student.gap_measures(model, batches)


@exercise("L2.3", weight=2)
def test_every_gap_once(student):
    """Every gap counts once, whatever batch it is in."""
    _, _, found = measured(student)
    expect.close(
        found["gap_perplexity"], WEIGHTED.exp(), rtol=1e-4, what="gap_perplexity", read="§6.2",
        otherwise="weight each batch's mean by the number of its gaps")
    expect.close(found["gap_accuracy"], sum(RIGHT) / 7, atol=1e-5, what="gap_accuracy", read="§6.2",
                 otherwise="right gaps, divided by all gaps")


@exercise("L2.3")
def test_without_traces(student):
    """The gaps are those of epoch 0; dropout is off meanwhile, and the model is as it was."""
    model, batches, found = measured(student, training=True)
    expect.equal(batches.get("epoch"), 0, what="the epoch of the batches", read="exercise L2.3",
                 )
    expect.close(found["gap_perplexity"], WEIGHTED.exp(), rtol=1e-4, read="§5.4",
                 what="gap_perplexity of a model in training",
                 otherwise="dropout is on: call model.eval() first")
    expect.equal(model.get("training"), True, what="model.training afterwards",
                 read="exercise L2.3")
