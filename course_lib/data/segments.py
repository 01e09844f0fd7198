"""Texts as BERT reads them, [CLS] … [SEP], alone or in pairs, and the next-sentence task."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .tokenizer import CLS, SEP


class Pair(NamedTuple):
    """Two texts as one sequence; `unrelated` is 1 if the second does not follow the first."""

    token_ids: list[int]
    segment_ids: list[int]
    unrelated: int = 0


def marked(sequence: Sequence[int], max_length: int) -> list[int]:
    """`[CLS] sequence [SEP]`, at most `max_length` long: the sequence is cut, the marks stay."""
    return [CLS, *sequence[: max_length - 2], SEP]


def joined(
    first: Sequence[int], second: Sequence[int], max_length: int, unrelated: int = 0
) -> Pair:
    """`[CLS] first [SEP] second [SEP]`, at most `max_length` long: the longer is cut at its end.

    The segment is 0 up to the first [SEP] and 1 after it.
    """
    room = max_length - 3
    half = room // 2
    n_first = min(len(first), max(half, room - len(second)))
    a, b = [CLS, *first[:n_first], SEP], [*second[: room - n_first], SEP]
    return Pair([*a, *b], [0] * len(a) + [1] * len(b), unrelated)


def next_sentence_pairs(
    documents: Sequence[Sequence[Sequence[int]]], max_length: int, rng: np.random.Generator
) -> list[Pair]:
    """A pair for every sentence that another follows in its document, given as lists of ids.

    In half of them the second is the sentence that follows, in the others one of another document.
    Raises ValueError for less than two documents.
    """
    if len(documents) < 2:
        raise ValueError("unrelated sentences come from another document: give at least two")
    pairs = []
    for number, sentences in enumerate(documents):
        for first, second in zip(sentences, sentences[1:], strict=False):
            unrelated = int(rng.integers(2))
            if unrelated:
                other = documents[(number + int(rng.integers(1, len(documents)))) % len(documents)]
                second = other[int(rng.integers(len(other)))]
            pairs.append(joined(first, second, max_length, unrelated))
    return pairs
