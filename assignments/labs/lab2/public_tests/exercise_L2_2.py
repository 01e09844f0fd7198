"""The visible check of exercise L2.2: the loss of the gaps."""

import numpy as np
import torch

from grader.checking.question import question

MODEL = "lambda ids, segments=None, at=None: (table[ids][... if at is None else at], follows)"
TABLE = torch.from_numpy(np.random.RandomState(1).randn(9, 9)).float()
TOKENS = torch.tensor([[4, 7, 6, 8, 5], [4, 6, 6, 8, 5]])
BEST = int(TABLE[7].argmax())  # so that one gap is filled rightly
TARGETS = torch.tensor([[-100, BEST, 8, -100, -100], [-100, -100, 0, -100, -100]])
FOLLOWS = torch.tensor([[2.0, -1.0], [0.5, 0.0]])


@question("L2.2", advice="tokens whose target is not below 0; divide by at least 1", read="§3.4")
def test_gaps_alone(its):
    """The mean cross-entropy of the gaps, 0 without any; with `unrelated`, a second loss."""
    model = its.make(MODEL, table=TABLE, follows=FOLLOWS)
    cases = {"gaps": [TARGETS], "no gap": [torch.full_like(TARGETS, -100)]}
    cases["gaps and sentences"] = [TARGETS, torch.zeros_like(TOKENS), torch.tensor([0, 1])]
    found = {name: its.masked_language_loss(model, TOKENS, *case) for name, case in cases.items()}
    losses = {f"loss of {name}": loss for name, (loss, _) in found.items()}
    return losses | {name: found[name][1] for name in ("gaps", "gaps and sentences")}
