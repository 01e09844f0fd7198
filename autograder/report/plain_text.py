"""Text of a submission made fit to be shown: nothing invisible, nothing that steers a terminal."""

from __future__ import annotations

import unicodedata
from typing import Any


def visible(text: str) -> str:
    """Control characters, lone surrogates and changes of direction as ⟨U+202E⟩; tabs as spaces."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text.replace("\r\n", "\n").expandtabs(4))


def cleaned(value: Any) -> Any:
    """A result with every text in it made `visible`."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {cleaned(key): cleaned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    return value


def number(value: float | None) -> str:
    """Points without needless zeros: 15.75, 18, and `pending` where nobody has marked."""
    return "pending" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def shortened(text: str, limit: int = 2000) -> str:
    return (
        text if len(text) <= limit else f"{text[:limit]} … ({len(text) - limit:,} characters more)"
    )


def listed(names: list[str]) -> str:
    """a, b and c"""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def counted(count: int, name: str) -> str:
    """1 test, 2 tests"""
    return f"{count} {name}{'' if count == 1 else 's'}"


def _shown(character: str) -> str:
    if character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Cs"):
        return character
    if character in "\u00ad\u200b\u200c\u200d\u200e\u200f":  # joiners that honest writing needs
        return character
    return f"⟨U+{ord(character):04X}⟩"
