"""Translations, measured in BLEU by sacreBLEU, with an interval."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator, Sequence
from typing import Any

from course_lib.evaluation.translation import bleu, chrf, paired_bootstrap
from course_lib.seam.facade import Handle

from .hidden_labels import HiddenLabels
from .measure import Unusable, about, other_data

LONGEST = 2000  # characters of a translation that are scored
LEAST_AGREEMENT = 0.95  # of the translations handed in, with those of the model: beams may tie
NAMES = re.compile(r"[a-z][a-z0-9_]{0,39}")  # of what config.json says was measured
MOST_MEASURED = 8  # of those values


class Translation:
    """A text for every sentence; `translations.txt` is compared with it."""

    first, most = 10, 100
    probe = 10  # shuffled weights seldom write an end: these take longer than any others
    may_stay = 0.1  # a text is hardly ever the same by chance
    least_alike = 0.2  # a trained model has 0.7 or more
    answers = "translations"
    asked = "translated"
    sample = "this random sample counts, and the interval is the wider for it"

    @property
    def blank(self) -> dict[str, Any]:
        numbers = dict.fromkeys(("bleu", "low", "high", "signature", "agreement"))
        return {"measure": "bleu", **numbers, "measured": {}}

    def read(self, value: Any, wanted: int, function: str) -> list[str]:
        """A call's answer as texts, each cut behind what is scored and one character more.

        Raises Unusable for anything but a list or tuple of `wanted` strings; they may be empty.
        """
        value = list(value) if isinstance(value, tuple) else value
        if not isinstance(value, list) or len(value) != wanted:
            got = f"{len(value)} values" if isinstance(value, list) else _kind(value)
            raise Unusable(
                f"{function} gave {got} for {wanted} texts: wanted a list of one translation each"
            )
        for text in value:
            if not isinstance(text, str):
                raise Unusable(f"{function} gave {_kind(text)} for a text: wanted a str")
        return [text[: LONGEST + 1] for text in value]

    def same(self, made: Sequence[str], others: Sequence[str]) -> float:
        """Translations that are empty in both say nothing."""
        return sum(a == b != "" for a, b in zip(made, others, strict=True)) / len(made)

    def alike(self, made: Sequence[str], others: Sequence[str]) -> float:
        """Runs of characters in common, by chrF; texts that say nothing are alike."""
        if not any(made) and not any(others):
            return 1.0
        cut = [[text[:LONGEST] for text in side] for side in (others, made)]
        return chrf(*cut).value / 100

    def score(
        self,
        made: Sequence[str],
        rows: Sequence[int],
        files: dict[str, bytes],
        hidden: HiddenLabels,
    ) -> tuple[dict[str, Any], list[str]]:
        kept = [text[:LONGEST] for text in made]
        wanted = [str(hidden.labels[row]) for row in rows]
        with _quietly():
            reached = bleu(kept, wanted)
            # the difference from saying nothing, which has 0 BLEU in every sample
            low, high = paired_bootstrap(kept, [""] * len(kept), wanted).interval
        found: dict[str, Any] = {"bleu": round(reached.value, 2), "signature": reached.signature}
        found |= {"low": round(low, 2), "high": round(high, 2), "measured": _measured(files)}
        notes = []
        if cut := sum(len(text) > LONGEST for text in made):
            notes.append(
                f"{cut} of {len(made)} translations were longer than {LONGEST:,} characters and "
                "were cut there"
            )
        given, note = _handed_in(files, hidden)
        if given is None:
            return found, [*notes, note]
        equal = [_plain(text) == _plain(given[row]) for text, row in zip(made, rows, strict=True)]
        agreement = sum(equal) / len(equal)
        if agreement < LEAST_AGREEMENT:
            notes.append(
                f"translations.txt has the model's translation of {agreement:.1%} of {len(made)} "
                "sentences: the model's own translations count"
            )
        return found | {"agreement": round(agreement, 4)}, notes


def _handed_in(files: dict[str, bytes], hidden: HiddenLabels) -> tuple[list[str] | None, str]:
    """translations.txt, a line a sentence of the split; or None, and a note why not."""
    name = next((name for name in files if name.endswith(".txt")), "")
    if not name:
        return None, "no translations.txt was handed in"
    if other := other_data(files, hidden):
        return None, f"{name} was made for other sentences, or for these in another order{other}"
    wanted = len(hidden.labels)
    try:
        text = files[name].decode("utf-8-sig")
    except ValueError:
        return None, f"{name} cannot be read: wanted UTF-8, one translation a line"
    lines = text.split("\n", wanted + 1)
    if len(lines) == wanted + 1 and not lines[-1]:
        lines.pop()  # the last line has its end
    if len(lines) != wanted:
        return None, f"{name} has not one line for each of {wanted} sentences"
    return lines, ""


def _kind(value: Any) -> str:
    """The name of a value's type, also of one that stayed on the worker's side."""
    return value.type_name if isinstance(value, Handle) else type(value).__name__


def _plain(text: str) -> str:
    """Blanks and line ends do not count."""
    return " ".join(text.split())


def _measured(files: dict[str, bytes]) -> dict[str, float]:
    """What config.json says was measured: some finite numbers with plain names."""
    found = about(files, "measured")
    return {
        name: round(float(value), 4)
        for name, value in list(found.items())[:MOST_MEASURED]
        if NAMES.fullmatch(name) and type(value) in (int, float) and abs(value) < 1e9
    }


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """sacreBLEU warns of texts that look like tokens: an untrained model's look so."""
    logger = logging.getLogger("sacrebleu")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)
