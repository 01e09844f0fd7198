"""The visible check of exercise L1.1: the loss of every next token."""

import numpy as np
import torch

from grader.checking.question import question

TABLE = torch.from_numpy(np.random.RandomState(1).randn(7, 7)).float()  # logits after each token
TOKENS = torch.tensor([[1, 4, 0, 6, 3], [5, 5, 1, 2, 6]])


@question("L1.1", advice="read all but the last token, ask for all but the first", read="§3.1")
def test_every_next_token(its):
    """The mean cross-entropy of every token after the first, with and without smoothing (§5.4)."""
    model = its.make("torch.nn.Embedding.from_pretrained(table)", table=TABLE)
    smooth = its.language_loss(model, TOKENS, label_smoothing=0.2)[0]
    return {"loss": its.language_loss(model, TOKENS)[0], "label_smoothing = 0.2": smooth}
