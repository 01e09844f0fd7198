"""Text in a CSV cell that no spreadsheet takes for a formula."""

from __future__ import annotations

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe(text: str) -> str:
    """`=1+1` → `'=1+1`: a leading apostrophe makes it text in every spreadsheet."""
    return f"'{text}" if text.startswith(_STARTS_A_FORMULA) else text


def restored(text: str) -> str:
    """The text that `safe` was given."""
    return text[1:] if text.startswith("'") and text[1:].startswith(_STARTS_A_FORMULA) else text


def plain(text: str) -> str:
    """A folder's name need not be valid Unicode; a file's text must be."""
    return text.encode("utf-8", "backslashreplace").decode()
