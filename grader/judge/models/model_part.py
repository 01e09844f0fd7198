"""Scores a trained model by running the student's own code again, in the sandbox.

The files are copied into the worker's folder, where the functions that the handout names are
called: one loads the model, one answers texts. The answers are scored by the course's scorer with
labels that the worker never sees, on as many sentences as decide the points (see `sequential_test`)
and the time allows. Submitted answers do not count; they are only compared with these. Three checks
reject a lookup table of answers: a model's answers must change when its weights are shuffled, must
stay similar when each sentence loses a word, and must follow when the words that decide them are
exchanged. The order of the sentences, and what is changed in them, is drawn anew for each grading.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.course.exercise import Exercise, ModelPart
from grader.seam import StudentError

from ...gradebook.exercise_result import ModelResult
from ...intake import handed_in
from . import thresholds
from .asking import Open, Worker, ask
from .scorer import HiddenLabels, Scorer, Unusable
from .sequential_test import SequentialTest

PROBE_SECONDS = 60.0
FALLBACK = (
    "these are the weights of your instructor's fallback model, which earns no points of its own"
)
MAX_HEADER = 2**20  # bytes that describe a model's tensors; each takes about 100
TOTAL = 3600.0  # wall-clock seconds for a model, besides those of the tests


def limits(part: ModelPart) -> dict[str, int]:
    """Of a worker that runs the model: what it may write to its disk follows what is handed in."""
    room = {"scratch_mib": part.mebibytes * 5 // 2, "file_mib": part.mebibytes * 5 // 4}
    return {"cpu_seconds": 300, "memory_mib": 2048, **room}


@dataclass(frozen=True)
class Grading:
    """One submitted model, and what it is scored with."""

    files: dict[str, bytes]
    part: ModelPart
    scorer: Scorer
    hidden: HiddenLabels
    seed: int
    open_worker: Open
    exercises: Sequence[Exercise] = ()


def evaluate(grading: Grading) -> ModelResult:
    """The result of one model: its `score`, or None and a `problem`.

    `recomputed` of `examples` answers, a random sample, were computed within the time limit, or
    were enough to know the points of the `exercises`.
    Whatever the submission does ends in a result.
    """
    hidden, scorer, part = grading.hidden, grading.scorer, grading.part
    fields: dict[str, Any] = {**scorer.blank, "problem": "", "notes": [], "source": hidden.source}
    fields |= {"unit": scorer.unit, "unit_in_words": scorer.unit_in_words}
    fields |= {"examples": len(hidden.labels), "recomputed": 0, "seconds": 0.0}
    fields |= {"sentences_per_second": None, "handed_in": bool(grading.files)}
    if not hidden.is_real:
        fields["notes"].append(
            f"scored on stand-in sentences ({hidden.source}), not on {part.dataset}"
        )
    try:
        _check_weights(grading)
        fields["drawn"] = secrets.randbits(48)  # stored, so that the grading can be repeated
        _score(grading, fields)
    except StudentError as error:
        where = f" ({error.where})" if error.where else ""
        fields["problem"] = f"{error.kind}: {error.message}{where}"
    except Unusable as error:
        fields["problem"] = str(error)
    result = ModelResult(**fields)
    if result.score is None:
        return result
    return result.model_copy(update={"told": scorer.sentences(result)})


def _check_weights(grading: Grading) -> None:
    """Raises Unusable if no weights were handed in, or those of the fallback model."""
    files, weights = grading.files, grading.part.weights
    if weights not in files:
        found = f", only {', '.join(sorted(files))}" if files else ""
        raise Unusable(f"no {weights} was handed in{found}")
    fallback = grading.hidden.fallback
    if fallback and hashlib.sha256(files[weights]).hexdigest() == fallback:
        raise Unusable(FALLBACK)


def _score(grading: Grading, fields: dict[str, Any]) -> None:
    """Ask the model, check that it is one, and fill in what it reaches.

    Raises Unusable or StudentError if it gives no answers, or those of a lookup table.
    """
    files, scorer, hidden = grading.files, grading.scorer, grading.hidden
    order = asked_in(files, [grading.seed, fields["drawn"]], len(hidden.labels))
    texts = [hidden.sentences[row] for row in order]
    enough = SequentialTest(scorer, grading.exercises, order, hidden)
    started = time.monotonic()
    shuffled = files | {grading.part.weights: _shuffled(files[grading.part.weights], grading.seed)}
    with grading.open_worker() as worker:
        rng = np.random.default_rng([grading.seed, fields["drawn"]])
        changed = _without_a_word(texts[: scorer.probe], rng)
        rows, contrasts = _contrasts(scorer, order, hidden, rng)
        # first: from the full sentences, the submission's code could guess these answers
        others = _if_any(worker, grading, changed)
        opposed = _if_any(worker, grading, contrasts)
        asked = ask(worker, files, grading.part, scorer, texts, grading.part.seconds, enough)
    answers = asked.answers
    fields |= {"recomputed": len(answers), "seconds": round(time.monotonic() - started, 2)}
    fields["sentences_per_second"] = round(len(answers) / max(asked.seconds, 0.01), 1)
    reached, notes = scorer.score(answers, order[: len(answers)].tolist(), files, hidden)
    if _earns(grading, reached["score"]):
        few = texts[: min(scorer.shuffled, len(answers))]
        _check_shuffled(grading, shuffled, answers, few, fields["notes"])
        _check_alike(scorer, answers, others)
        known = dict(zip(order.tolist(), answers, strict=False))
        rows = [row for row in rows[: len(opposed)] if row in known]
        given = [known[row] for row in rows]
        if doubt := scorer.doubt(reached["score"], rows, given, opposed[: len(rows)], hidden):
            raise Unusable(doubt)
    fields |= reached
    fields["notes"] += notes
    if enough.note:
        fields["notes"].append(enough.note)
    elif len(answers) < len(order):
        fields["notes"].append(
            f"within the time limit, {len(answers)} of {len(order)} sentences were {scorer.verb}: "
            f"{scorer.sample}"
        )


def _check_shuffled(
    grading: Grading,
    shuffled: dict[str, bytes],
    answers: Sequence[Any],
    few: Sequence[str],
    notes: list[str],
) -> None:
    """Raises Unusable if the answers do not come from the weights."""
    scorer = grading.scorer
    same = _share_unchanged(grading, shuffled, answers, few, notes)
    if same > scorer.max_same and len(set(answers)) > 1:
        raise Unusable(
            f"with its weights shuffled the model still makes {same:.0%} of the same "
            f"{scorer.noun}: they do not come from {grading.part.weights}"
        )


def _check_alike(scorer: Scorer, answers: Sequence[Any], others: Sequence[Any]) -> None:
    """Raises Unusable if the answers depend on the exact test sentences."""
    pairs = min(len(answers), len(others))
    alike = scorer.alike(answers[:pairs], others[:pairs]) if pairs else 0.0
    if alike < scorer.min_alike:
        raise Unusable(
            f"without one of their words, {pairs} sentences get {scorer.noun} that have "
            f"little in common with those of the full sentences ({alike:.0%} alike): a trained "
            "model does not depend on the exact test sentences"
        )


def asked_in(files: dict[str, bytes], seeds: list[int], examples: int) -> np.ndarray:
    """The order of the sentences; it depends on the seeds and on every byte of the files."""
    own = int(handed_in.digest(b"", files)[:16], 16)
    return np.random.default_rng([*seeds, own]).permutation(examples)


def _if_any(worker: Worker, grading: Grading, texts: Sequence[str]) -> list[Any]:
    """The model's answers to these texts; none if it fails."""
    part, seconds = grading.part, min(grading.part.seconds, PROBE_SECONDS)
    try:
        return ask(worker, grading.files, part, grading.scorer, texts, seconds).answers
    except (StudentError, Unusable):
        return []


def _without_a_word(texts: Sequence[str], rng: np.random.Generator) -> list[str]:
    """The texts, each without one of its words, drawn at random; a single word is kept."""
    split = [text.split() for text in texts]
    for words in split:
        if len(words) > 1:
            words.pop(int(rng.integers(len(words))))
    return [" ".join(words) for words in split]


def _contrasts(
    scorer: Scorer, order: np.ndarray, hidden: HiddenLabels, rng: np.random.Generator
) -> tuple[list[int], list[str]]:
    """Rows that have a contrast, in the order of the sentences, and their contrasts."""
    made: dict[int, str] = {}
    for row in order.tolist():
        if len(made) < scorer.contrasts and (text := scorer.contrast(row, hidden, rng)):
            made[row] = text
    return list(made), list(made.values())


def _earns(grading: Grading, score: float) -> bool:
    """Whether the score earns any point; what earns none need not be proven a model."""
    examples = len(grading.hidden.labels)
    shares = (thresholds.share(e, score, examples, grading.scorer) for e in grading.exercises)
    return not grading.exercises or any(share > 0 for share in shares)


def _share_unchanged(
    grading: Grading,
    shuffled: dict[str, bytes],
    answers: Sequence[Any],
    few: Sequence[str],
    notes: list[str],
) -> float:
    """Share of answers that are the same with shuffled weights; 0, with a note, if none come."""
    part, seconds = grading.part, min(grading.part.seconds, PROBE_SECONDS)
    try:
        with grading.open_worker() as worker:
            others = ask(worker, shuffled, part, grading.scorer, few, seconds).answers
    except (StudentError, Unusable) as error:
        reason = error.message if isinstance(error, StudentError) else str(error)
        notes.append(f"the model could not be run with shuffled weights ({reason[:200]})")
        return 0.0
    return grading.scorer.same(answers[: len(others)], others)


def _shuffled(data: bytes, seed: int) -> bytes:
    """The same tensors, the values of each shuffled. Raises Unusable for an unreadable file."""
    import torch
    from safetensors import torch as safetensors

    generator = torch.Generator().manual_seed(seed)
    mixed = {}
    if int.from_bytes(data[:8], "little") > MAX_HEADER:
        raise Unusable(
            f"the weights are not a readable safetensors file (its header has more than "
            f"{MAX_HEADER >> 20} MiB: more tensors than any model has)"
        )
    try:
        for name, tensor in safetensors.load(data).items():
            order = torch.randperm(tensor.numel(), generator=generator)
            mixed[name] = tensor.flatten()[order].view(tensor.shape).contiguous()
        return safetensors.save(mixed)
    except Exception as error:  # untrusted bytes: any failure is the file's fault
        reason = f"{type(error).__name__}: {str(error)[:200]}"
        raise Unusable(f"the weights are not a readable safetensors file ({reason})") from None
