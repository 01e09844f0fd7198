"""Text of a submission made fit to be shown: nothing invisible, nothing that steers a terminal."""

from __future__ import annotations

import unicodedata
from typing import Any

from ..gradebook.record import Record
from ..gradebook.result import Result


def visible(text: str) -> str:
    """Control characters, lone surrogates and changes of direction as ⟨U+202E⟩; tabs as spaces."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text.replace("\r\n", "\n").expandtabs(4))


def cleaned(result: Result) -> Result:
    """A result with every text in it made `visible`."""
    return _cleaned(result)


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


def _cleaned(value: Any) -> Any:
    """The very same object where there is nothing to clean: of most there is nothing."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Record):
        fields = {name: (field, _cleaned(field)) for name, field in value}
        changed = {name: new for name, (old, new) in fields.items() if new is not old}
        return value.model_copy(update=changed) if changed else value
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list):
        items = [_cleaned(item) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value


def _shown(character: str) -> str:
    if character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Cs"):
        return character
    if character in "\u00ad\u200b\u200c\u200d\u200e\u200f":  # joiners that honest writing needs
        return character
    return f"⟨U+{ord(character):04X}⟩"
