"""The visible checks of exercise L1.5: perplexity of a text."""

import torch
from torch.nn import functional as F

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

TABLE = torch.randn(7, 7, generator=torch.Generator().manual_seed(1))  # logits after each token
TOKENS = torch.randint(7, (24,), generator=torch.Generator().manual_seed(2))
LOSSES = F.cross_entropy(TABLE[TOKENS[:-1]], TOKENS[1:], reduction="none")  # of 23 tokens
MODEL = "torch.nn.Sequential(torch.nn.Embedding.from_pretrained(table), torch.nn.Dropout(0.5))"


def made(student):
    return student.make(MODEL, table=TABLE)


@exercise("L1.5", weight=2)
def test_every_token_once(student):
    """exp of the mean over all tokens after the first, also those of a last, shorter block."""
    model = made(student)
    model.eval()
    blocks = [block.mean() for block in LOSSES.split(5)]
    for rows in (64, 2):
        expect.close(
            student.perplexity(model, TOKENS, 5, rows=rows), LOSSES.mean().exp(), rtol=1e-4,
            what=f"the perplexity, read {rows} blocks of 5 at a time",
            otherwise="weight each loss by the number of tokens that it is the mean of",
            read="§6.2")


@exercise("L1.5")
def test_without_dropout(student):
    """Dropout is off meanwhile; then the model is as it was."""
    model = made(student)
    model.train()
    found = [student.perplexity(model, TOKENS, 5) for _ in range(2)]
    expect.true(found[0] == found[1], expected="the same perplexity twice, of a model in training",
                got=f"{found[0]:g} and {found[1]:g}", read="§5.4",
                because="dropout is on: call model.eval() first")
    expect.equal(model.get("training"), True, what="model.training afterwards",
                 read="exercise L1.5")
