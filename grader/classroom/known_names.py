"""Who a list means: a name that nobody has is refused, with the one that it is nearly."""

from __future__ import annotations

import difflib
from collections.abc import Collection


def check(student: str, known: Collection[str] | None) -> None:
    """Raises ValueError unless the student is known; None knows everybody."""
    if known is None or student in known:
        return
    told = f"nobody is called {student!r}: neither the roster nor a result has it"
    plain = {_plain(name): name for name in known}
    if (name := plain.get(_plain(student))) is not None:
        raise ValueError(f"{told}; {name!r} differs only in case or spaces: write that")
    near = difflib.get_close_matches(_plain(student), plain, n=1, cutoff=0.75)
    raise ValueError(f"{told}; is it {plain[near[0]]!r}?" if near else told)


def _plain(name: str) -> str:
    return "".join(name.casefold().split())
