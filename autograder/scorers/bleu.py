"""Scores translations: BLEU by sacreBLEU, with a confidence interval."""

import logging
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from course_lib.evaluation.translation import bleu, bootstrap, chrf
from grader.gradebook.exercise_result import ModelResult
from grader.judge.models.scorer import HiddenLabels, Unusable, about, computed, other_data
from grader.seam.facade import Handle

LONGEST = 2000  # characters of a translation that are scored
MIN_AGREEMENT = 0.95  # of the submitted translations with the model's own: beams may tie
NAMES = re.compile(r"[a-z][a-z0-9_]{0,39}")  # of measured values in config.json
MAX_MEASURED = 8  # how many of them are kept

# it warns about texts that look tokenized, as those of an untrained model do
logging.getLogger("sacrebleu").setLevel(logging.ERROR)


class Bleu:
    """A text for every sentence; `translations.txt` is compared with it."""

    first, most = 10, 100
    asked_again = 40
    min_agreement = MIN_AGREEMENT
    probe = 10
    shuffled = 20  # of a table of half the answers, none is among them once in 10⁶ gradings
    max_same = 0.0  # translations are hardly ever the same by chance
    min_alike = 0.2  # a trained model has 0.7 or more
    noun = "translations"
    verb = "translated"
    sample = "the score is that of this random sample, and its interval is wider"
    unit = "BLEU"
    unit_in_words = "BLEU"
    unit_in_handouts = "test BLEU"
    compared = ("translations", "the references by sacreBLEU")

    @property
    def blank(self) -> dict[str, Any]:
        numbers = dict.fromkeys(("bleu", "low", "high", "signature", "agreement"))
        return {"measure": "bleu", "score": None, **numbers, "measured": {}}

    def read(self, value: Any, expected: int, function: str) -> list[str]:
        """A call's answer as texts, each cut one character after the part that is scored.

        Raises Unusable for anything but a list or tuple of `expected` strings; they may be empty.
        """
        value = list(value) if isinstance(value, tuple) else value
        if not isinstance(value, list) or len(value) != expected:
            got = f"{len(value)} values" if isinstance(value, list) else _kind(value)
            raise Unusable(
                f"{function} returned {got} for {expected} texts, not a list of translations"
            )
        for text in value:
            if not isinstance(text, str):
                raise Unusable(f"{function} returned {_kind(text)} for a text: expected a str")
        return [text[: LONGEST + 1] for text in value]

    def same(self, answers: Sequence[str], others: Sequence[str]) -> float:
        """Share of translations that are the same in both and not empty."""
        return sum(a == b != "" for a, b in zip(answers, others, strict=True)) / len(answers)

    def alike(self, answers: Sequence[str], others: Sequence[str]) -> float:
        """Similarity by chrF, 0 to 1; 1 if all texts on both sides are empty."""
        if not any(answers) and not any(others):
            return 1.0
        cut = [[text[:LONGEST] for text in side] for side in (others, answers)]
        return chrf(*cut).value / 100

    def score(
        self,
        answers: Sequence[str],
        rows: Sequence[int],
        files: dict[str, bytes],
        hidden: HiddenLabels,
    ) -> tuple[dict[str, Any], list[str]]:
        kept = [text[:LONGEST] for text in answers]
        references = [str(hidden.labels[row]) for row in rows]
        reached = bleu(kept, references)
        low, high = np.quantile(bootstrap(kept, references), [0.025, 0.975]).tolist()
        score = round(reached.value, 2)
        found: dict[str, Any] = {"score": score, "bleu": score, "signature": reached.signature}
        found |= {"low": round(low, 2), "high": round(high, 2), "measured": _measured(files)}
        notes = []
        if cut := sum(len(text) > LONGEST for text in answers):
            notes.append(
                f"{cut} of {len(answers)} translations were longer than {LONGEST:,} characters and "
                "were cut there"
            )
        given, note = _handed_in(files, hidden)
        if given is None:
            return found, [*notes, note]
        equal = [
            _plain(text) == _plain(given[row]) for text, row in zip(answers, rows, strict=True)
        ]
        agreement = sum(equal) / len(equal)
        if agreement < MIN_AGREEMENT:
            notes.append(
                f"translations.txt has the model's translation of {agreement:.1%} of {len(equal)} "
                "sentences: the model's own translations count"
            )
        return found | {"agreement": round(agreement, 4)}, notes

    def calibration(
        self, measures: dict[str, dict[str, Any]], examples: int
    ) -> tuple[float, float, float]:
        found = measures["beam5_bleu"]
        return found["mean"], found["sd"], measures["beam5_bleu_standard_error"]["mean"]

    def sentences(self, model: ModelResult) -> list[str]:
        facts = model.as_json()
        sentences = [
            f"Your model reaches {model.score:.1f} BLEU on sentences whose references it never saw "
            f"(95 % bootstrap interval over sentences: {facts['low']:.1f} to {facts['high']:.1f}).",
            f"{computed(model, 'translate')} ({model.sentences_per_second:g} sentences per second "
            f"of CPU time); they came from: {model.source}.",
            f"BLEU is computed by sacreBLEU: `{facts['signature']}`.",
        ]
        if (agreement := facts.get("agreement")) is not None:
            sentences.append(f"Your translations.txt agrees on {100 * agreement:.1f} % of them.")
        if measured := facts.get("measured"):
            values = [f"{name.replace('_', ' ')} {value:.4g}" for name, value in measured.items()]
            upper, lower = (measured.get(f"{s}_perplexity", 0) for s in ("validation", "training"))
            if upper > 0 and lower > 0:  # their ratio is a measure of memorization
                values[-1] += f" (validation over training: {upper / lower:.2f})"
            sentences.append(f"You reported: {', '.join(values)}.")
        return sentences


def _handed_in(files: dict[str, bytes], hidden: HiddenLabels) -> tuple[list[str] | None, str]:
    """The lines of translations.txt, one per sentence, or None and a note that says why."""
    name = next((name for name in files if name.endswith(".txt")), "")
    if not name:
        return None, "no translations.txt was handed in"
    if other := other_data(files, hidden):
        return None, f"{name} was made for other sentences, or for these in another order{other}"
    expected = len(hidden.labels)
    try:
        text = files[name].decode("utf-8-sig")
    except ValueError:
        return None, f"{name} cannot be read: expected UTF-8, one translation per line"
    lines = text.split("\n", expected + 1)
    if len(lines) == expected + 1 and not lines[-1]:
        lines.pop()  # the file ends with a newline
    if len(lines) != expected:
        return None, f"{name} does not have one line for each of {expected} sentences"
    return lines, ""


def _kind(value: Any) -> str:
    """The name of a value's type, even if the value stayed in the worker."""
    return value.type_name if isinstance(value, Handle) else type(value).__name__


def _plain(text: str) -> str:
    """The text with whitespace normalized."""
    return " ".join(text.split())


def _measured(files: dict[str, bytes]) -> dict[str, float]:
    """Measured values from config.json: a few finite numbers with plain names."""
    found = about(files, "measured")
    return {
        name: round(float(value), 4)
        for name, value in list(found.items())[:MAX_MEASURED]
        if NAMES.fullmatch(name) and type(value) in (int, float) and abs(value) < 1e9
    }
