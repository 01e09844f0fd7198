"""The sentences that the live page's models learn from: short real ones, and those of a grammar.

People wrote the real ones for Tatoeba. Only common words are in them, so that a small model can
learn what they mean. The grammar's are longer, and it knows which word translates which: what heads
look at is measured on them.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from course_lib.data import datasets
from course_lib.data.datasets import LoadedData

REAL, GRAMMAR = "tatoeba_en_fr", "grammar_long_en_fr"
COMMON = 1000  # the commonest English words of the real sentences
LONGEST = 9  # English words of a real sentence
GENERATED = 12_000  # pairs of the grammar, beside the real ones
BLANKS = str.maketrans("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}", "  ")  # before a French "?"
Pair = dict[str, str]


def load() -> LoadedData:
    """`train` has both kinds, the other splits have real ones alone. Raises DataError."""
    from datasets import Dataset

    real = datasets.load(REAL, sources=["mirror"])
    splits = {name: _pairs(real, name) for name in real.splits}
    generated = _pairs(datasets.load(GRAMMAR), "train")[:GENERATED]
    counts = Counter(word for pair in splits["train"] for word in words(pair["en"]))
    known = {word for word, _ in counts.most_common(COMMON)}
    known.update(known_words([pair["en"] for pair in generated]))
    splits = {name: _short(pairs, known) for name, pairs in splits.items()}
    splits["train"] += generated
    return replace(real, splits={name: Dataset.from_list(splits[name]) for name in splits})


def words(text: str) -> list[str]:
    """The words of a text in lower case, as the page's scripts find them: "don't" is two."""
    return re.findall(r"[^\W_]+(?:-[^\W_]+)*", text.lower())


def known_words(sentences: Sequence[str]) -> list[str]:
    """Every word of the sentences: the page says which words are not among them."""
    return sorted({word for text in sentences for word in words(text)})


def _pairs(data: LoadedData, split: str) -> list[Pair]:
    return [{side: row[side].translate(BLANKS) for side in ("en", "fr")} for row in data[split]]


def _short(pairs: Sequence[Pair], known: set[str]) -> list[Pair]:
    """Pairs with few English words, all of them known."""
    found = ((pair, words(pair["en"])) for pair in pairs)
    return [pair for pair, its in found if len(its) <= LONGEST and known.issuperset(its)]
