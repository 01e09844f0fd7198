"""The notice about a submission that prints while it is graded."""

from __future__ import annotations

PRINTED = "the notebook printed while being graded"


def notices(printed: str) -> list[str]:
    """A notice that quotes the first line of output, if there was any."""
    first = printed.strip().splitlines()[:1]
    return [f"{PRINTED}: `{line[:120]}`" for line in first]
