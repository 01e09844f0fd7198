"""Evaluation mode for a while: no dropout, and then the mode that the model came in."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import nn


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Switch to evaluation mode, and back to the previous mode afterwards, also after an error."""
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)
