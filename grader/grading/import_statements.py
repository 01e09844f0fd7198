"""The import statements of a source file, read as text: nothing is imported or even parsed."""

from __future__ import annotations

import re

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]+)|import[ \t]+([^\n]+))", re.M
)
_FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t]+[^\n]*\n|\n)+", re.M)


def without_types(text: str) -> str:
    """The text without what only a type checker imports."""
    return _FOR_TYPES.sub("", text)


def imported(text: str, package: tuple[str, ...]) -> set[str]:
    """Absolute names of what the statements of a module in `package` may load."""
    return {name for match in _IMPORT.findall(text) for name in _loaded(match, package)}


def _loaded(match: tuple[str, str, str], package: tuple[str, ...]) -> list[str]:
    """Absolute names of what one import statement may load: modules or names in them."""
    source, names, plain = match
    words = [part.split() for part in re.sub(r"#[^\n]*|[()]", " ", names or plain).split(",")]
    listed = [word[0] for word in words if word]
    if plain:
        return listed
    dots = len(source) - len(source.lstrip("."))
    above = list(package[: len(package) - dots + 1]) if dots else []
    base = ".".join([*above, *filter(None, [source.lstrip(".")])])
    return [base, *(f"{base}.{name}" for name in listed)]
