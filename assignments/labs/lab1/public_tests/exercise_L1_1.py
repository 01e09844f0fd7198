"""The visible checks of exercise L1.1: the loss of every next token."""

import torch
from torch.nn import functional as F

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

TABLE = torch.randn(7, 7, generator=torch.Generator().manual_seed(1))  # logits after each token
TOKENS = torch.tensor([[1, 4, 2, 6, 3], [5, 5, 1, 2, 6]])


def loss_of(read, asked, **how):
    return F.cross_entropy(TABLE[read].flatten(0, 1), asked.flatten(), **how)


def found(student, **how):
    model = student.make("torch.nn.Embedding.from_pretrained(table)", table=TABLE)
    loss, _ = expect.parts(student.language_loss(model, TOKENS, **how), 2, read="exercise L1.1",
                           otherwise="return the loss and an empty dict")
    return loss


@exercise("L1.1")
def test_every_next_token(student):
    """The mean cross-entropy of every token after the first, given those before it."""
    read, asked = TOKENS[:, :-1], TOKENS[:, 1:]
    expect.close(
        found(student), loss_of(read, asked), atol=1e-5,
        otherwise="read all tokens but the last, and ask for all but the first", read="§3.1")


@exercise("L1.1")
def test_smoothing(student):
    """`label_smoothing` is passed on."""
    read, asked = TOKENS[:, :-1], TOKENS[:, 1:]
    expect.close(
        found(student, label_smoothing=0.2), loss_of(read, asked, label_smoothing=0.2), atol=1e-5,
        what="the loss with label smoothing 0.2",
        read="§5.4")
