"""Models with fast dropout alone, until assignment 2 is over; results are the same to 1e-5."""

from .dropout import use_fast_dropout


def fast_model(kind, *sizes, **settings):
    """`kind(*sizes, **settings)`; a seed draws the same weights and drops the same values."""
    return use_fast_dropout(kind(*sizes, **settings))
