"""A folder's name for each student: one that any system can write, and nobody else's."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection

from ..course.visible import visible

_PLAIN = re.compile(r"""[^\s./\\:*?"<>|-][^/\\:*?"<>|\x00-\x1f]{0,79}(?<![. ])""")


def folder_names(students: Collection[str]) -> dict[str, str]:
    """The student's own name, or a similar one with a hash if a file system could mistake it.

    That is so for `..`, for names with a slash or a colon, and for `Ada` beside `ada`.
    """
    counts = Counter(map(_folded, students))
    plain = {
        name
        for name in students
        if _PLAIN.fullmatch(name) and visible(name) == name and counts[_folded(name)] == 1
    }
    return {name: name if name in plain else _hashed(name) for name in students}


def _folded(name: str) -> str:
    """Equal for names that some file systems take for the same."""
    return unicodedata.normalize("NFC", name).casefold()


def _hashed(name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    similar = re.sub(r"[^\w]+", "-", visible(name)).strip("-")[:40]
    return f"{similar}-{digest}" if similar else digest
