"""Text in a CSV cell, safe from being read as a formula by a spreadsheet."""

from __future__ import annotations

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe(text: str) -> str:
    """`=1+1` → `'=1+1`: a leading apostrophe makes it text in every spreadsheet."""
    return f"'{text}" if text.startswith(_STARTS_A_FORMULA) else text


def restored(text: str) -> str:
    """The text that `safe` was given."""
    return text[1:] if text.startswith("'") and text[1:].startswith(_STARTS_A_FORMULA) else text


def plain(text: str) -> str:
    """Text that UTF-8 can encode: a folder's name need not be valid Unicode."""
    return text.encode("utf-8", "backslashreplace").decode()
