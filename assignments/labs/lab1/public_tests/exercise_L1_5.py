"""The visible check of exercise L1.5: perplexity of a text."""

import numpy as np
import torch

from grader.checking.question import question

MODEL = "torch.nn.Sequential(torch.nn.Embedding.from_pretrained(table), torch.nn.Dropout(0.5))"
RANDOM = np.random.RandomState(1)
TABLE = torch.from_numpy(RANDOM.randn(7, 7)).float()  # logits after each token
TOKENS = torch.from_numpy(RANDOM.randint(7, size=24))
ONCE = "weight each loss by its number of tokens; model.eval() first, and put the mode back"


@question("L1.5", advice=ONCE, read="§6.2")
def test_every_token_once(its):
    """exp of the mean over all tokens after the first, also those of a last, shorter block."""
    model = its.make(MODEL, table=TABLE)
    found = {f"{rows} blocks at a time": its.perplexity(model, TOKENS, 5, rows) for rows in (64, 2)}
    return found | {"in training mode afterwards, as before": model.get("training")}
