"""Fingerprints of a token sequence by winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003).

Every run of `K` tokens is hashed; of every `WINDOW` hashes in a row, the smallest is kept, so two
sequences that share `K + WINDOW - 1` tokens in a row share a fingerprint, and none that share fewer
than `K` do. Code moved elsewhere keeps its fingerprints.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

K, WINDOW = 14, 5  # in tokens of the syntax tree: about two lines


def hashes(texts: Sequence[str]) -> list[int]:
    """The hash of every run of `K` tokens, the same in every process."""
    return [_hash("\n".join(texts[start : start + K])) for start in range(len(texts) - K + 1)]


def chosen(found: Sequence[int]) -> set[int]:
    """The positions of the hashes that are kept: in each window the smallest, the last if equal."""
    if not found:
        return set()
    kept = set()
    for start in range(max(1, len(found) - WINDOW + 1)):
        window = found[start : start + WINDOW]
        least = min(window)
        kept.add(start + len(window) - 1 - window[::-1].index(least))
    return kept


def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=8).digest()
    return int.from_bytes(digest, "big")
