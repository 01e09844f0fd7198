"""Answers of the student's own code, where it does not say what its weights do.

Two checks reject tables of answers: a model's answers must change when its weights are shuffled,
and must stay similar when each sentence loses a word. They say that an answer comes from the files
and not how, so a person decides what it earns.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from grader.seam import StudentError

from . import thresholds
from .asking import Answers, Grading, Worker, ask
from .scorer import Scorer, Unusable

PROBE_SECONDS = 60.0
MAX_HEADER = 2**20  # bytes that describe a model's tensors; each takes about 100


def checked(
    grading: Grading,
    texts: Sequence[str],
    order: np.ndarray,
    rng: np.random.Generator,
    notes: list[str],
) -> Answers:
    """The code's answers to as many texts as the time allows; `order` are their rows.

    Raises Unusable or StudentError if it gives no answers, or those of a lookup table.
    """
    files, part, scorer = grading.files, grading.part, grading.scorer
    shuffled = files | {part.weights: _shuffled(files[part.weights], grading.seed)}
    with grading.open_worker() as worker:
        # first: from the full sentences, the submission's code could guess these answers
        others = _if_any(worker, grading, _without_a_word(texts[: scorer.probe], rng))
        asked = ask(worker, files, part, scorer, texts, part.seconds)
    answers = asked.answers
    reached, _ = scorer.score(answers, order[: len(answers)].tolist(), {}, grading.hidden)
    if _earns(grading, reached["score"]):
        few = texts[: min(scorer.shuffled, len(answers))]
        _check_shuffled(grading, shuffled, answers, few, notes)
        _check_alike(scorer, answers, others)
    return asked


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
