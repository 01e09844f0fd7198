"""Scores a trained model: asks the student's own code for its answers again, in the sandbox.

The files are laid into the worker's folder, `load_model(folder)` and `predict(model, texts)` or
`translate(model, texts)` are called there, and what comes back is compared with labels, or
references, that the worker never sees. Only that counts, on as many sentences as the time allows;
answers that were handed in are compared with it. A model whose answers do not change when its
weights are shuffled is none, and neither is one whose answers are gone when a word is: a table of
answers would be both. Which sentences come first is drawn anew for each grading.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from course_lib.course.exercise import ModelPart
from course_lib.seam import StudentError

from ...gradebook.exercise_result import ModelResult
from ...intake import handed_in
from .asking import Open, ask
from .classification import Classification
from .hidden_labels import REAL, HiddenLabels
from .measure import Measure, Unusable
from .translation import Translation

MEASURES: dict[str, Measure] = {"accuracy": Classification(), "bleu": Translation()}
PROBE_SECONDS = 60.0
LIMITS = {"cpu_seconds": 240, "memory_mib": 2048, "scratch_mib": 160, "file_mib": 80}


def evaluate(
    files: dict[str, bytes], part: ModelPart, hidden: HiddenLabels, seed: int, open_worker: Open
) -> ModelResult:
    """What is known of one model: its `accuracy` or `bleu`, or None and a `problem`.

    `recomputed` of `examples` answers were made again within the budget; they are a random
    sample. Whatever the submission answers ends in a result.
    """
    measure = MEASURES[part.measure]
    told: dict[str, Any] = {**measure.blank, "problem": "", "notes": [], "source": hidden.source}
    told |= {"examples": len(hidden.labels), "recomputed": 0, "seconds": 0.0}
    told |= {"sentences_per_second": None, "handed_in": bool(files)}
    if hidden.source not in REAL:
        told["notes"].append(
            f"scored on stand-in sentences ({hidden.source}), not on {part.dataset}"
        )
    weights = next(name for name in part.files if name.endswith(".safetensors"))
    if weights not in files:
        found = f", only {', '.join(sorted(files))}" if files else ""
        return ModelResult(**told | {"problem": f"no {weights} was handed in{found}"})
    told["drawn"] = secrets.randbits(48)  # kept, so that the grading can be repeated
    order = asked_in(files, [seed, told["drawn"]], len(hidden.labels))
    texts = [hidden.sentences[row] for row in order]
    started = time.monotonic()
    try:
        shuffled = files | {weights: _shuffled(files[weights], seed)}
        with open_worker() as worker:
            asked = ask(worker, files, part, measure, texts, part.seconds)
    except StudentError as error:
        where = f" ({error.where})" if error.where else ""
        return ModelResult(**told | {"problem": f"{error.kind}: {error.message}{where}"})
    except Unusable as error:
        return ModelResult(**told | {"problem": str(error)})
    made = asked.answers
    told |= {"recomputed": len(made), "seconds": round(time.monotonic() - started, 2)}
    told["sentences_per_second"] = round(len(made) / max(asked.seconds, 0.01), 1)
    few = texts[: min(measure.probe, len(made))]
    same = _share_that_stays(made, shuffled, part, measure, few, open_worker, told["notes"])
    if same > measure.may_stay and len(set(made)) > 1:
        problem = (
            f"with its weights shuffled the model still makes {same:.0%} of the same "
            f"{measure.answers}: they do not come from {weights}"
        )
        return ModelResult(**told | {"problem": problem})
    alike = _share_that_is_alike(made, files, part, measure, few, open_worker, order[0])
    if alike < measure.least_alike:
        problem = (
            f"without one of their words, {len(few)} sentences get {measure.answers} "
            f"that have little to do with those of the whole ones ({alike:.0%} alike): a model "
            "knows more than the sentences of the test"
        )
        return ModelResult(**told | {"problem": problem})
    reached, notes = measure.score(made, order[: len(made)].tolist(), files, hidden)
    told["notes"] += notes
    if len(made) < len(order):
        told["notes"].append(
            f"in the time there is, {len(made)} of {len(order)} sentences were {measure.asked}: "
            f"{measure.sample}"
        )
    return ModelResult(**told | reached)


def asked_in(files: dict[str, bytes], seeds: list[int], examples: int) -> np.ndarray:
    """The order in which sentences are asked: another one for every other byte handed in."""
    own = int(handed_in.digest(b"", files)[:16], 16)
    return np.random.default_rng([*seeds, own]).permutation(examples)


def _share_that_is_alike(
    made: Sequence[Any],
    files: dict[str, bytes],
    part: ModelPart,
    measure: Measure,
    few: Sequence[str],
    open_worker: Open,
    seed: int,
) -> float:
    """How much the answers for sentences without one of their words are like those they had."""
    rng = np.random.default_rng(seed)
    changed = [_without_a_word(text, rng) for text in few]
    seconds = min(part.seconds, PROBE_SECONDS)
    try:
        with open_worker() as worker:
            others = ask(worker, files, part, measure, changed, seconds).answers
    except (StudentError, Unusable):
        return 0.0
    return measure.alike(made[: len(others)], others)


def _without_a_word(text: str, rng: np.random.Generator) -> str:
    words = text.split()
    if len(words) > 1:
        words.pop(int(rng.integers(len(words))))
    return " ".join(words)


def _share_that_stays(
    made: Sequence[Any],
    shuffled: dict[str, bytes],
    part: ModelPart,
    measure: Measure,
    few: Sequence[str],
    open_worker: Open,
    notes: list[str],
) -> float:
    """How many answers are the same with shuffled weights; 0, with a note, if none come."""
    seconds = min(part.seconds, PROBE_SECONDS)
    try:
        with open_worker() as worker:
            others = ask(worker, shuffled, part, measure, few, seconds).answers
    except (StudentError, Unusable) as error:
        told = error.message if isinstance(error, StudentError) else str(error)
        notes.append(f"with shuffled weights the model could not be asked ({told[:200]})")
        return 0.0
    return measure.same(made[: len(others)], others)


def _shuffled(data: bytes, seed: int) -> bytes:
    """The same tensors with the values of each in another order. Raises Unusable."""
    import torch
    from safetensors import torch as safetensors

    generator = torch.Generator().manual_seed(seed)
    mixed = {}
    try:
        for name, tensor in safetensors.load(data).items():
            order = torch.randperm(tensor.numel(), generator=generator)
            mixed[name] = tensor.flatten()[order].view(tensor.shape).contiguous()
        return safetensors.save(mixed)
    except Exception as error:  # the bytes are a stranger's: whatever fails is theirs
        told = f"{type(error).__name__}: {str(error)[:200]}"
        raise Unusable(f"the weights are no readable safetensors file ({told})") from None
