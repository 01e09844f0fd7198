"""Measures where a head looks: the place that has most of its weight, over many sentences."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from course_lib.data import tokenizer as special
from course_lib.data.grammar.sentence_pairs import Alignment
from course_lib.data.word_spans import word_numbers
from course_lib.decoding.translator import Translator

from .switches import attentions

Sentence = tuple[str, str, Alignment]
ITSELF, BEFORE, AFTER, FIRST = (
    "the word itself",
    "the word before",
    "the word after",
    "the first word",
)
LAST, START = "the mark at the end", "START"
TRANSLATED, NEXT = "the word that it translates next", "the word after that one"


@torch.no_grad()
def weights(translator: Translator, source: str, target: str) -> dict[str, Tensor]:
    """By place, such as "decoder 0 self": (heads, queries, keys) for a sentence and translation."""
    model, tokenizer = translator.model, translator.tokenizer
    (read,), (written,) = tokenizer.encode([source]), tokenizer.encode([target])
    inputs: dict[str, tuple] = {}
    hooks = [
        one.register_forward_hook(lambda _, given, out, place=place: inputs.update({place: given}))
        for place, one in attentions(model)
    ]
    model(torch.tensor([read]), torch.tensor([[special.START, *written]]))
    for hook in hooks:
        hook.remove()
    return {
        place: one(*inputs[place][:4], need_weights=True)[1][0] for place, one in attentions(model)
    }


def places(translator: Translator, sentence: Sentence, place: str) -> dict[str, Tensor]:
    """By what may be looked at: True at those keys of each query."""
    (read,), (written,) = (
        translator.tokenizer.encode([sentence[0]]),
        translator.tokenizer.encode([sentence[1]]),
    )
    n, m = len(read), len(written) + 1
    if place.endswith("cross"):
        marks = torch.zeros(m, n, dtype=torch.bool)
        marks[:, -1] = True
        linked = _linked(translator, sentence, n, m)
        return {TRANSLATED: linked, NEXT: linked.roll(1, 1), LAST: marks & ~linked}
    size = m if place.endswith("self") else n
    eye = torch.eye(size, dtype=torch.bool)
    first = torch.zeros(size, size, dtype=torch.bool)
    first[:, 0] = True
    found = {ITSELF: eye, BEFORE: _off(size, -1)}
    if place.endswith("self"):
        return found | {START: first}
    return found | {AFTER: _off(size, 1), FIRST: first, LAST: first.flip(1)}


def _off(size: int, by: int) -> Tensor:
    return torch.diag(torch.ones(size - abs(by), dtype=torch.bool), by)


def _linked(translator: Translator, sentence: Sentence, n: int, m: int) -> Tensor:
    """True where a source token belongs to a word linked to the word that a query predicts."""
    source, target, links = sentence
    left, right = (word_numbers(translator.tokenizer, text) for text in (source, target))
    found = torch.zeros(m, n, dtype=torch.bool)
    pairs = set(links)
    for query, word in enumerate(right):
        for key, other in enumerate(left):
            found[query, key] = (other, word) in pairs
    return found


def measured(translator: Translator, sentences: Sequence[Sentence]) -> dict[str, dict]:
    """By head: `{"at": what it looks at most, "share": of its weight, "spread": over how many}`."""
    sums: dict[str, dict[str, float]] = {}
    rows: dict[str, int] = {}
    for sentence in sentences:
        for place, found in weights(translator, sentence[0], sentence[1]).items():
            masks = places(translator, sentence, place)
            for head, table in enumerate(found):
                entry = sums.setdefault(f"{place} {head}", dict.fromkeys([*masks, "spread"], 0.0))
                rows[f"{place} {head}"] = rows.get(f"{place} {head}", 0) + len(table)
                for name, mask in masks.items():
                    entry[name] += float((table * mask).sum())
                entry["spread"] += float((_entropy(table)).exp().sum())
    told = {}
    for name, entry in sums.items():
        spread = entry.pop("spread") / rows[name]
        at = max(entry, key=entry.__getitem__)
        told[name] = {
            "at": at,
            "share": round(entry[at] / rows[name], 2),
            "spread": round(spread, 1),
        }
    return told


def _entropy(table: Tensor) -> Tensor:
    return -(table * table.clamp(min=math.exp(-30)).log()).sum(dim=-1)
