"""Scores a trained model by what its weights do.

The submitted weights, settings and vocabulary are data: the course's own components load them, in
a sandboxed worker without any of the student's code, and answer every test sentence. The student's
code, which the handout's names load and ask, answers a small sample. If the two agree, the score
is that of the weights, and nothing else can raise it.

If they do not, a mistake in the student's components was trained into the weights, the search or
the architecture is another one, or the answers do not come from the weights. Then the student's
code is scored (see `code_answers`), the result says what each of the two reaches and where they
differ, and an exercise whose points depend on it waits for a person; so it does where the code
raises. Labels never reach a worker,
and submitted answers do not count. The sentences of the sample are drawn anew for each grading.
"""

import hashlib
import secrets
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from grader.course.exercise import ModelPart
from grader.seam import StudentError
from grader.seam.errors import MISSING, NOT_WRITTEN, POLICY

from ...gradebook.exercise_result import ModelResult
from ...intake import handed_in
from . import code_answers
from .asking import Answers, Grading, ask
from .scorer import Unusable

FALLBACK = (
    "these are the weights of your instructor's fallback model, which earns no points of its own"
)
TOTAL = 3600.0  # wall-clock seconds for a model, besides those of the tests
SHOWN = 5  # sentences whose two answers are reported
# Of code that is missing; then weights alone are no answer to the exercise.
NO_CODE = (NOT_WRITTEN, MISSING, POLICY, NotImplementedError.__name__)
LONGEST = 160  # characters of each of these texts


def limits(part: ModelPart) -> dict[str, int]:
    """Of a worker that runs the model: what it may write to its disk follows what is handed in."""
    room = {"scratch_mib": part.mebibytes * 5 // 2, "file_mib": part.mebibytes * 5 // 4}
    return {"cpu_seconds": 300, "memory_mib": 2048, **room}


def evaluate(grading: Grading) -> ModelResult:
    """The result of one model: its `score`, or None and a `problem`.

    `recomputed` of `examples` answers, a random sample, were computed within the time limit.
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
        fields["problem"] = _reason(error)
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
    """Fill in what the weights reach and, where the student's code disagrees, what that reaches.

    Raises Unusable or StudentError if the student's code has to decide and gives no answers.
    """
    started = time.monotonic()
    order = asked_in(grading.files, [grading.seed, fields["drawn"]], len(grading.hidden.labels))
    texts = [grading.hidden.sentences[row] for row in order]
    own, why = _of_weights(grading, texts)
    if own is not None:
        why = _compare(grading, fields, texts, own.answers, order)
        asked = own
    if why:
        rng = np.random.default_rng([grading.seed, fields["drawn"]])
        asked = code_answers.checked(grading, texts, order, rng, fields["notes"])
        fields["disputed"] = why
    else:
        fields["by_weights"] = None
    _fill(grading, fields, asked.answers, order)
    fields["seconds"] = round(time.monotonic() - started, 2)
    fields["sentences_per_second"] = round(len(asked.answers) / max(asked.seconds, 0.01), 1)


def _compare(
    grading: Grading,
    fields: dict[str, Any],
    texts: Sequence[str],
    own: Sequence[Any],
    order: np.ndarray,
) -> str:
    """Ask the student's code for a sample of what the weights answer; why they disagree, if so.

    If it raises, what the weights reach is held for a person.
    """
    scorer, few = grading.scorer, texts[: min(grading.scorer.asked_again, len(own))]
    found, _ = scorer.score(own, order[: len(own)].tolist(), {}, grading.hidden)
    fields["by_weights"] = found["score"]
    try:
        with grading.open_worker() as worker:
            asked = ask(worker, grading.files, grading.part, scorer, few, grading.part.seconds)
    except (StudentError, Unusable) as error:
        if getattr(error, "kind", "") not in NO_CODE:
            fields["disputed"] = "your code gives no answers, and your weights do"
        raise
    differing = _differing(few, asked.answers, own)
    compared = len(asked.answers)
    fields |= {"compared": compared, "same": compared - len(differing)}
    if fields["same"] >= scorer.min_agreement * compared:
        return ""
    fields["differing"] = differing[:SHOWN]
    return (
        f"on {len(differing)} of {compared} sentences, your code and your weights in the course's "
        "own components give different answers"
    )


def _of_weights(grading: Grading, texts: Sequence[str]) -> tuple[Answers | None, str]:
    """The answers of the course's own components with these weights; or None, and why not."""
    part = grading.part
    try:
        with grading.open_own() as worker:
            # all in one call: the course's own components make batches themselves
            answers = ask(
                worker, grading.files, part, grading.scorer, texts, part.seconds, most=len(texts)
            )
            return answers, ""
    except (StudentError, Unusable) as error:
        reason = _reason(error) if isinstance(error, StudentError) else str(error)
        return None, f"the course's own components cannot use these files ({reason[:200]})"


def _reason(error: StudentError) -> str:
    where = f" ({error.where})" if error.where else ""
    return f"{error.kind}: {error.message}{where}"


def _differing(texts: Sequence[str], code: Sequence[Any], weights: Sequence[Any]) -> list[str]:
    """The sentences that get two answers, with both."""
    return [
        f"“{text[:LONGEST]}”: by the code “{str(one)[:LONGEST]}”, by the weights "
        f"“{str(other)[:LONGEST]}”"
        for text, one, other in zip(texts, code, weights, strict=False)
        if one != other
    ]


def _fill(
    grading: Grading, fields: dict[str, Any], answers: Sequence[Any], order: np.ndarray
) -> None:
    """Fill in the score of the answers, and a note if they are those of a sample."""
    rows = order[: len(answers)].tolist()
    reached, notes = grading.scorer.score(answers, rows, grading.files, grading.hidden)
    fields |= {**reached, "recomputed": len(answers)}
    fields["notes"] += notes
    if len(answers) < len(order):
        fields["notes"].append(
            f"within the time limit, {len(answers)} of {len(order)} sentences were "
            f"{grading.scorer.verb}: {grading.scorer.sample}"
        )


def asked_in(files: dict[str, bytes], seeds: list[int], examples: int) -> np.ndarray:
    """The order of the sentences; it depends on the seeds and on every byte of the files."""
    own = int(handed_in.digest(b"", files)[:16], 16)
    return np.random.default_rng([*seeds, own]).permutation(examples)
