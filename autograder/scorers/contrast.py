"""Contrast sentences: a test sentence with those words exchanged that decide its answer.

A model's knowledge is about words and follows the exchange; a table of the test sentences finds the
sentence that it knows, whatever was exchanged (contrast sets: Gardner et al. 2020,
arXiv:2004.02709). They are drawn anew for each grading, so they cannot be in a table themselves.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

MIN_ODDS = 0.5  # a cue is 1.6 times as frequent under one label as under the other
MIN_STANDARD_ERRORS = 6.0  # by which its shares under the two labels differ
EXCHANGED = 1 / 3  # of the words of a sentence to translate


def cues(sentences: Sequence[str], labels: Sequence[int]) -> dict[str, float]:
    """Words that decide between labels 0 and 1, with their log odds: above zero, they speak for 1.

    Both labels must occur.
    """
    counts = Counter[str](), Counter[str]()
    for sentence, label in zip(sentences, labels, strict=True):
        counts[label].update(set(sentence.split()))
    total_0, total_1 = labels.count(0), labels.count(1)
    found = {}
    for word in sorted(counts[0].keys() | counts[1].keys()):
        with_0, with_1 = counts[0][word], counts[1][word]
        odds = math.log((with_1 + 0.5) / (with_0 + 0.5) * total_0 / total_1)
        share = (with_0 + with_1) / len(labels)
        error = math.sqrt(share * (1 - share) * (1 / total_0 + 1 / total_1))
        difference = abs(with_1 / total_1 - with_0 / total_0)
        if abs(odds) >= MIN_ODDS and difference >= MIN_STANDARD_ERRORS * error:
            found[word] = odds
    return found


def opposite(sentence: str, label: int, cues: Mapping[str, float], rng: np.random.Generator) -> str:
    """The sentence with its cues replaced by some for the other label; "" if none was right."""
    words = sentence.split()
    if not any((cues[word] > 0) == bool(label) for word in words if word in cues):
        return ""
    others = [word for word, odds in cues.items() if (odds > 0) != bool(label)]
    drawn = [str(rng.choice(others)) if word in cues else word for word in words]
    return " ".join(drawn)


def exchanged(sentence: str, others: Sequence[str], rng: np.random.Generator) -> str:
    """The sentence with a third of its words replaced by some of other sentences."""
    words = sentence.split()
    count = min(len(words), max(1, round(len(words) * EXCHANGED)))
    for place in rng.choice(len(words), size=count, replace=False):
        words[place] = str(rng.choice(str(rng.choice(others)).split() or words))
    return " ".join(words)
