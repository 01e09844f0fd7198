"""Disable run-time shape checks, which the components' own tests cover."""

import contextlib
from collections.abc import Iterator

import jaxtyping


@contextlib.contextmanager
def no_shape_checks() -> Iterator[None]:
    """For training runs and thousands of gradings, where the checks take up to half the time."""
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        jaxtyping.config.update("jaxtyping_disable", before)
