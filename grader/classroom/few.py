"""Many names in one sentence."""

from __future__ import annotations

from collections.abc import Sequence


def few(names: Sequence[str], most: int = 12) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
