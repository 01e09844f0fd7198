"""Results and numbers as text that is safe to show."""

import textwrap
from dataclasses import replace
from typing import Any

from grader.checking.messages import Message
from grader.course.visible import visible

from ..gradebook.exercise_result import Record
from ..gradebook.result import Result


def cleaned(result: Result) -> Result:
    """A result with every text in it made `visible`."""
    return _cleaned(result)


def number(value: float | None) -> str:
    """Points without trailing zeros: 15.75, 18, and `pending` for None."""
    return "pending" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def percent(share: float) -> str:
    """34 %"""
    return f"{100 * share:.0f} %"


def signed(value: float) -> str:
    """A correlation with two decimals and a true minus sign: −0.12."""
    return f"{value:.2f}".replace("-", "−")


def shortened(text: str, limit: int = 2000) -> str:
    more = len(text) - limit
    return text if more <= 0 else f"{text[:limit]} … ({more:,} more characters)"


def listed(names: list[str]) -> str:
    """a, b and c"""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def wrapped(text: str, indent: int = 0) -> list[str]:
    """The text in lines that a terminal of 80 columns shows, all but the first indented further."""
    first, later = " " * indent, " " * (indent + 2)
    return textwrap.wrap(
        text, 78, initial_indent=first, subsequent_indent=later, break_on_hyphens=False
    )


def counted(count: int, name: str) -> str:
    """1 test, 2 tests"""
    return f"{count} {name}{'' if count == 1 else 's'}"


def _cleaned(value: Any) -> Any:
    """The cleaned value; the same object if nothing changed, as is usual."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Record):
        fields = {name: (field, _cleaned(field)) for name, field in value}
        changed = {name: new for name, (old, new) in fields.items() if new is not old}
        return value.model_copy(update=changed) if changed else value
    if isinstance(value, Message):
        return replace(value, **{name: _cleaned(part) for name, part in vars(value).items()})
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list):
        items = [_cleaned(item) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value
