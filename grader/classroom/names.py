"""Compares names of people as different systems write them, in any script."""

import difflib
import unicodedata
from collections.abc import Collection
from functools import lru_cache

_INVISIBLE = "Cf"  # joiners and marks of direction: they decide how a name looks, not what it is


def composed(name: str) -> str:
    """The name with "ö" as one character: some disks keep an "o" and two dots."""
    return unicodedata.normalize("NFC", name)


def words(name: str) -> list[str]:
    """The words of a name in lower case, without punctuation.

    The marks on letters stay: in Hindi, Tamil, Thai and many other scripts they are the vowels.
    """
    kept = ""
    for character in unicodedata.normalize("NFC", composed(name).casefold()):
        kind = unicodedata.category(character)
        mark = kind[0] == "M" and kept[-1:].strip()  # on a letter, not on a symbol
        if kind != _INVISIBLE:
            kept += character if kind[0] in "LN" or mark else " "
    return kept.split()


@lru_cache(maxsize=10_000)
def orders(name: str, between: str = "") -> frozenset[str]:
    """The words of a name, beginning with each of them: systems write either name first."""
    of = words(name)
    return frozenset(between.join(of[n:] + of[:n]) for n in range(len(of)))


def nearest(name: str, known: Collection[str]) -> str | None:
    """The known name that this one may be a misspelling of."""
    plain = {unspaced(one): one for one in known}
    near = difflib.get_close_matches(unspaced(name), plain, n=1, cutoff=0.75)
    swapped = [one for one in plain if sorted(one) == sorted(unspaced(name))]
    return plain[(near or swapped)[0]] if near or swapped else None


def unspaced(name: str) -> str:
    """The name without its spaces, in lower case."""
    return "".join(name.casefold().split())
