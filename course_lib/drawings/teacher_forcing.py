"""Teacher forcing against generation: what the decoder reads in training, and afterwards."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..decoding.search import greedy
from ..training.translation_step import shift_targets
from .drawing import Drawing
from .sheet import Sheet

WORDS = ("PAD", "UNK", "START", "END", "un", "chien", "court")
TARGET = (2, 4, 5, 6, 3)


@dataclass(frozen=True)
class Reading:
    """Words: what goes into the decoder and what it should predict, and each step's prefix."""

    decoder_input: tuple[str, ...]
    labels: tuple[str, ...]
    prefixes: tuple[tuple[str, ...], ...]
    generated: tuple[str, ...]


def reading() -> Reading:
    """The library's shift of one target, and the prefixes with which greedy search calls a model.

    The model is a table that knows one sentence.
    """
    decoder_input, labels = shift_targets(torch.tensor([TARGET]))
    prefixes: list[list[int]] = []

    def step(given: Tensor, state: None) -> tuple[Tensor, None]:
        prefixes.append(given[0].tolist())
        chances = torch.zeros(1, len(WORDS))
        chances[0, TARGET[given.shape[1]]] = 1.0
        return chances.log(), state

    (found,) = greedy(step, None, 1, max_length=len(TARGET))
    return Reading(
        _words(decoder_input[0].tolist()),
        _words(labels[0].tolist()),
        tuple(_words(prefix) for prefix in prefixes),
        (*_words(found.tokens), "END"),
    )


def _words(ids: list[int]) -> tuple[str, ...]:
    return tuple(WORDS[id] for id in ids)


def teacher_forcing() -> Drawing:
    """On the left one pass over the whole target; on the right one pass for each new word."""
    found = reading()
    sheet = Sheet(800, 300)
    n, width, left = len(found.labels), 76, 24
    span = n * (width + 8) - 8
    sheet.text(left, 34, "Training: the right words are given", size=16, anchor="start", bold=True)
    sheet.text(left, 56, "one pass, all positions at once", size=13, anchor="start", role="quiet")
    for number, (given, wanted) in enumerate(zip(found.decoder_input, found.labels, strict=True)):
        x = left + number * (width + 8)
        sheet.box(x, 236, width, 30, "blue", given, size=13)
        sheet.arrow((x + width / 2, 236), (x + width / 2, 206))
        sheet.arrow((x + width / 2, 166), (x + width / 2, 136))
        sheet.box(x, 104, width, 30, "green", wanted, size=13)
    sheet.box(left, 166, span, 40, "grey", "decoder")
    sheet.text(left + span / 2, 94, "what it should predict", size=13)
    sheet.text(left + span / 2, 286, "what it reads", size=13)
    sheet.line((376, 24), (376, 276), role="plain")
    _generation(sheet, 396, found)
    return sheet.drawing(
        "teacher_forcing",
        "Teacher forcing and generation",
        f"Training: the decoder reads {' '.join(found.decoder_input)} in one pass and should "
        f"predict {' '.join(found.labels)}, the same words one position earlier. Generation: it "
        f"reads START and writes {found.generated[0]}; each following pass reads what was written "
        f"so far, until it writes {found.generated[-1]}.",
        found,
    )


def _generation(sheet: Sheet, left: float, found: Reading) -> None:
    title = "Generation: it reads its own words"
    sheet.text(left, 34, title, size=16, anchor="start", bold=True)
    sheet.text(left, 56, "one pass for each word", size=13, anchor="start", role="quiet")
    width, step = 54, 58
    for number, (prefix, word) in enumerate(zip(found.prefixes, found.generated, strict=True)):
        y = 92 + number * 48
        start = left + (len(found.prefixes) - len(prefix)) * step
        for place, known in enumerate(prefix):
            role = "blue" if place == 0 else "orange"
            sheet.box(start + place * step, y, width, 30, role, known, size=13)
        x = left + len(found.prefixes) * step
        sheet.arrow((x - 4, y + 15), (x + 14, y + 15))
        sheet.box(x + 14, y - 2, 66, 34, "grey", "decoder", size=13)
        sheet.arrow((x + 80, y + 15), (x + 98, y + 15))
        sheet.box(x + 98, y, width, 30, "orange", word, size=13)
