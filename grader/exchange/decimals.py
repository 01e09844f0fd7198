"""Numbers in a platform's table, with its decimal point or comma."""

import re

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")


def read(text: str) -> float | None:
    """The number in a cell; None if it has none."""
    text = text.strip()
    return float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else None


def written(value: float, like: str) -> str:
    """The value to two decimals, with a decimal comma if the cell `like` has one.

    Platforms in every language read a point; only some read a comma.
    """
    return f"{value:.2f}".replace(".", "," if "," in like else ".")
