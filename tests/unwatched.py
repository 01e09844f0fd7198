"""Where shapes are not watched at run time: they are in the components' own tests."""

import contextlib
from collections.abc import Iterator

import jaxtyping


@contextlib.contextmanager
def unwatched() -> Iterator[None]:
    """For trainings and thousands of gradings, of which the watch takes up to half the time."""
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)
