"""The visible check of exercise L2.3: how well gaps are filled."""

import numpy as np
import torch

from grader.checking.question import question

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
TABLE = torch.from_numpy(np.random.RandomState(1).randn(9, 9)).float()
TOKENS = torch.tensor([[4, 7, 6, 8, 5], [4, 6, 6, 8, 5]])
BEST = int(TABLE[7].argmax())  # so that one gap is filled rightly
FIRST = torch.tensor([[-100, BEST, 8, 8, -100], [-100, 6, 6, 7, -100]])
SECOND = torch.tensor([[-100, 6, -100, -100, -100], [-100] * 5])


@question("L2.3", advice="weight each batch by its gaps; epoch 0, dropout off", read="§6.2")
def test_every_gap_once(its):
    """Every gap counts once, in epoch 0 and without dropout; then the model is as it was."""
    model = its.make(MODEL, table=TABLE)
    batches = its.make(BATCHES, batches=[(TOKENS, FIRST), (TOKENS, SECOND)])
    return its.gap_measures(model, batches) | {
        "epoch of the batches": batches.get("epoch"),
        "in training mode afterwards": model.get("training"),
    }
