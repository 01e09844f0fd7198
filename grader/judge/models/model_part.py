"""Scores a trained model by running the student's own code again, in the sandbox.

The files are copied into the worker's folder, where `load_model(folder)` and then
`predict(model, texts)` or `translate(model, texts)` are called. The answers are scored with labels
or references that the worker never sees, on as many sentences as decide the points (see `enough`)
and the time allows. Submitted answers do not count; they are only compared with these. Two checks
reject a lookup table of answers: a model's answers must change when its weights are shuffled, and
must stay similar when each sentence loses a word. The order of the sentences is drawn anew for each
grading.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from grader.course.exercise import Exercise, ModelPart
from grader.seam import StudentError

from ...gradebook.exercise_result import ModelResult
from ...intake import handed_in
from .asking import Open, Worker, ask
from .classification import Classification
from .enough import Enough
from .hidden_labels import REAL, HiddenLabels
from .measure import Measure, Unusable
from .translation import Translation

MEASURES: dict[str, Measure] = {"accuracy": Classification(), "bleu": Translation()}
PROBE_SECONDS = 60.0
FALLBACK = (
    "these are the weights of your instructor's fallback model, which earns no points of its own"
)
MAX_HEADER = 2**20  # bytes that describe a model's tensors; each takes about 100
LIMITS = {"cpu_seconds": 300, "memory_mib": 2048, "scratch_mib": 160, "file_mib": 80}


def evaluate(
    files: dict[str, bytes],
    part: ModelPart,
    hidden: HiddenLabels,
    seed: int,
    open_worker: Open,
    exercises: Sequence[Exercise] = (),
) -> ModelResult:
    """The result of one model: its `accuracy` or `bleu`, or None and a `problem`.

    `recomputed` of `examples` answers, a random sample, were computed within the time limit, or
    were enough to know the points of `exercises`.
    Whatever the submission does ends in a result.
    """
    measure = MEASURES[part.measure]
    fields: dict[str, Any] = {**measure.blank, "problem": "", "notes": [], "source": hidden.source}
    fields |= {"examples": len(hidden.labels), "recomputed": 0, "seconds": 0.0}
    fields |= {"sentences_per_second": None, "handed_in": bool(files)}
    if hidden.source not in REAL:
        fields["notes"].append(
            f"scored on stand-in sentences ({hidden.source}), not on {part.dataset}"
        )
    weights = part.weights
    if weights not in files:
        found = f", only {', '.join(sorted(files))}" if files else ""
        return ModelResult(**fields | {"problem": f"no {weights} was handed in{found}"})
    if hidden.fallback and hashlib.sha256(files[weights]).hexdigest() == hidden.fallback:
        return ModelResult(**fields | {"problem": FALLBACK})
    fields["drawn"] = secrets.randbits(48)  # stored, so that the grading can be repeated
    order = asked_in(files, [seed, fields["drawn"]], len(hidden.labels))
    texts = [hidden.sentences[row] for row in order]
    enough = Enough(measure, exercises, order, hidden)
    started = time.monotonic()
    try:
        shuffled = files | {weights: _shuffled(files[weights], seed)}
        with open_worker() as worker:
            changed = _without_a_word(texts[: measure.probe], order[0])
            # first: from the full sentences, the submission's code could guess these answers
            others = _if_any(worker, files, part, measure, changed)
            asked = ask(worker, files, part, measure, texts, part.seconds, enough)
    except StudentError as error:
        where = f" ({error.where})" if error.where else ""
        return ModelResult(**fields | {"problem": f"{error.kind}: {error.message}{where}"})
    except Unusable as error:
        return ModelResult(**fields | {"problem": str(error)})
    answers = asked.answers
    fields |= {"recomputed": len(answers), "seconds": round(time.monotonic() - started, 2)}
    fields["sentences_per_second"] = round(len(answers) / max(asked.seconds, 0.01), 1)
    few = texts[: min(measure.shuffled, len(answers))]
    same = _share_unchanged(answers, shuffled, part, measure, few, open_worker, fields["notes"])
    if same > measure.max_same and len(set(answers)) > 1:
        problem = (
            f"with its weights shuffled the model still makes {same:.0%} of the same "
            f"{measure.noun}: they do not come from {weights}"
        )
        return ModelResult(**fields | {"problem": problem})
    pairs = min(len(answers), len(others))
    alike = measure.alike(answers[:pairs], others[:pairs]) if pairs else 0.0
    if alike < measure.min_alike:
        problem = (
            f"without one of their words, {pairs} sentences get {measure.noun} that have "
            f"little in common with those of the full sentences ({alike:.0%} alike): a trained "
            "model does not depend on the exact test sentences"
        )
        return ModelResult(**fields | {"problem": problem})
    reached, notes = measure.score(answers, order[: len(answers)].tolist(), files, hidden)
    fields["notes"] += notes
    if enough.note:
        fields["notes"].append(enough.note)
    elif len(answers) < len(order):
        fields["notes"].append(
            f"within the time limit, {len(answers)} of {len(order)} sentences were {measure.verb}: "
            f"{measure.sample}"
        )
    return ModelResult(**fields | reached)


def asked_in(files: dict[str, bytes], seeds: list[int], examples: int) -> np.ndarray:
    """The order of the sentences; it depends on the seeds and on every byte of the files."""
    own = int(handed_in.digest(b"", files)[:16], 16)
    return np.random.default_rng([*seeds, own]).permutation(examples)


def _if_any(
    worker: Worker,
    files: dict[str, bytes],
    part: ModelPart,
    measure: Measure,
    texts: Sequence[str],
) -> list[Any]:
    """The model's answers to these texts; none if it fails."""
    try:
        return ask(worker, files, part, measure, texts, min(part.seconds, PROBE_SECONDS)).answers
    except (StudentError, Unusable):
        return []


def _without_a_word(texts: Sequence[str], seed: int) -> list[str]:
    """The texts, each without one of its words, drawn at random; a single word is kept."""
    rng = np.random.default_rng(seed)
    split = [text.split() for text in texts]
    for words in split:
        if len(words) > 1:
            words.pop(int(rng.integers(len(words))))
    return [" ".join(words) for words in split]


def _share_unchanged(
    answers: Sequence[Any],
    shuffled: dict[str, bytes],
    part: ModelPart,
    measure: Measure,
    few: Sequence[str],
    open_worker: Open,
    notes: list[str],
) -> float:
    """Share of answers that are the same with shuffled weights; 0, with a note, if none come."""
    seconds = min(part.seconds, PROBE_SECONDS)
    try:
        with open_worker() as worker:
            others = ask(worker, shuffled, part, measure, few, seconds).answers
    except (StudentError, Unusable) as error:
        reason = error.message if isinstance(error, StudentError) else str(error)
        notes.append(f"the model could not be run with shuffled weights ({reason[:200]})")
        return 0.0
    return measure.same(answers[: len(others)], others)


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
