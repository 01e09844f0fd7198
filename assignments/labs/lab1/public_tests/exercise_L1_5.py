"""The visible checks of exercise L1.5: perplexity of a text."""

import numpy as np
import torch

from grader.checking.question import question

MODEL = "torch.nn.Sequential(torch.nn.Embedding.from_pretrained(table), torch.nn.Dropout(0.5))"
RANDOM = np.random.RandomState(1)
TABLE = torch.from_numpy(RANDOM.randn(7, 7)).float()  # logits after each token
TOKENS = torch.from_numpy(RANDOM.randint(7, size=24))
ONCE = "weight each loss by the number of tokens that it is the mean of"


@question("L1.5", weight=2, advice=ONCE, read="§6.2")
def test_every_token_once(its):
    """exp of the mean over all tokens after the first, also those of a last, shorter block."""
    model = its.make(MODEL, table=TABLE)
    model.eval()
    return {f"{rows} blocks at a time": its.perplexity(model, TOKENS, 5, rows) for rows in (64, 2)}


@question("L1.5", advice="call model.eval() first, and put the mode back", read="§5.4")
def test_without_dropout(its):
    """Dropout is off meanwhile; then the model is as it was."""
    model = its.make(MODEL, table=TABLE)
    model.train()
    same = its.perplexity(model, TOKENS, 5) == its.perplexity(model, TOKENS, 5)
    return {"the same twice": same, "in training mode afterwards": model.get("training")}
