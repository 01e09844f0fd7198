"""Load from the first source of a chain that can be reached, and print what was passed over."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from .registry import DataError, Source, Unavailable

Loaded = TypeVar("Loaded")
REMEDY = (
    "connect to the network, or set COURSE_DATA to a folder that has the data, "
    "or allow more sources"
)


class HasSources(Protocol):
    """A data set or model of the registry, with its sources in the order to try them."""

    @property
    def name(self) -> str: ...
    @property
    def sources(self) -> list[Source]: ...


def first_available(
    entry: HasSources, allowed: Iterable[Source] | None, load: Callable[[Source], Loaded]
) -> Loaded:
    """The result of `load` for the first source that does not raise Unavailable.

    `allowed` restricts the chain. Raises DataError, one sentence that says what to do, for a
    source that the entry does not have and when none can be reached.
    """
    failures = []
    for source in _chain(entry, allowed):
        try:
            loaded = load(source)
        except Unavailable as failure:
            failures.append(f"{source}: {failure}")
            continue
        for failed in failures:
            if failed != "mirror: COURSE_DATA is not set":
                print(f"{entry.name} is not available from the {failed}")
        return loaded
    raise DataError(f"{entry.name} is not available ({'; '.join(failures)}): {REMEDY}")


def _chain(entry: HasSources, allowed: Iterable[Source] | None) -> list[Source]:
    """The sources to try, in the order of the registry."""
    if allowed is None:
        return entry.sources
    wanted = [allowed] if isinstance(allowed, str) else list(allowed)
    for source in wanted:
        if source not in entry.sources:
            raise DataError(
                f"{entry.name} has no source {source!r}: use some of {', '.join(entry.sources)}"
            )
    return [source for source in entry.sources if source in wanted]
