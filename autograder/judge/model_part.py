"""Scores a trained model: asks the student's own code for its predictions again, in the sandbox.

The files are laid into the worker's folder, `load_model(folder)` and `predict(model, texts)` are
called there, and what comes back is compared with labels that the worker never sees. Only that
counts, on as many sentences as the time allows; predictions that were handed in are compared with
it. A model whose predictions do not change when its weights are shuffled is none. The order of the
sentences depends on the submission's bytes, so that nobody can know which come first.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from course_lib.exercises import ModelPart
from course_lib.seam import Student, StudentError
from course_lib.seam.errors import TIMEOUT
from course_lib.seam.facade import Backend, Handle

from .. import handed_in
from .hidden_labels import REAL, HiddenLabels


class Unusable(Exception):
    """What was handed in, or what came back, is no model's; one sentence."""


Open = Callable[[], AbstractContextManager[Backend]]

FOLDER = "handed_in"
CHUNK = 64  # sentences a call
PROBE = 128  # sentences for which the model is asked again with shuffled weights
PIECE = 8 * 2**20  # bytes of a file that cross at once
LEAST_AGREEMENT = 0.98  # of the predictions handed in, with those of the model
STILL_THE_SAME = 0.95  # shuffled weights may not leave more predictions than this as they were
LOAD_SECONDS = 30.0
LIMITS = {"cpu_seconds": 240, "memory_mib": 2048, "scratch_mib": 160, "file_mib": 80}


def evaluate(
    files: dict[str, bytes], part: ModelPart, hidden: HiddenLabels, seed: int, open_worker: Open
) -> dict[str, Any]:
    """What is known of one model: `accuracy` in percent, or None and a `problem`.

    `recomputed` of `examples` predictions were made again within the budget; they are a random
    sample. Whatever the submission answers ends in a result.
    """
    told: dict[str, Any] = {"accuracy": None, "problem": "", "notes": [], "source": hidden.source}
    told |= {"examples": len(hidden.labels), "recomputed": 0, "agreement": None, "seconds": 0.0}
    told["handed_in"] = bool(files)
    if hidden.source not in REAL:
        told["notes"].append(
            f"scored on stand-in sentences ({hidden.source}), not on {part.dataset}"
        )
    weights = next(name for name in part.files if name.endswith(".safetensors"))
    if weights not in files:
        found = f", only {', '.join(sorted(files))}" if files else ""
        return told | {"problem": f"no {weights} was handed in{found}"}
    order = asked_in(files, seed, len(hidden.labels))
    started = time.monotonic()
    try:
        shuffled = files | {weights: _shuffled(files[weights], seed)}
        with open_worker() as worker:
            made = _predict(Student(worker), files, part, hidden, order, part.seconds)
    except StudentError as error:
        where = f" ({error.where})" if error.where else ""
        return told | {"problem": f"{error.kind}: {error.message}{where}"}
    except Unusable as error:
        return told | {"problem": str(error)}
    told |= {"recomputed": len(made), "seconds": round(time.monotonic() - started, 2)}
    few = order[: min(PROBE, len(made))]
    same = _share_that_stays(made, shuffled, part, hidden, few, open_worker, told["notes"])
    if same > STILL_THE_SAME and len(set(made.tolist())) > 1:
        return told | {
            "problem": f"with its weights shuffled the model still makes {same:.0%} of the same "
            f"predictions: they do not come from {weights}"
        }
    return told | _score(made, order, _handed_in(files, hidden, told["notes"]), hidden, told)


def asked_in(files: dict[str, bytes], seed: int, examples: int) -> np.ndarray:
    """The order in which sentences are asked: another one for every other byte handed in."""
    own = int(handed_in.digest(b"", files)[:16], 16)
    return np.random.default_rng([seed, own]).permutation(examples)


def _share_that_stays(
    made: np.ndarray,
    shuffled: dict[str, bytes],
    part: ModelPart,
    hidden: HiddenLabels,
    few: np.ndarray,
    open_worker: Open,
    notes: list[str],
) -> float:
    """How many predictions are the same with shuffled weights; 0, with a note, if none come."""
    try:
        with open_worker() as worker:
            others = _predict(Student(worker), shuffled, part, hidden, few, part.seconds)
    except (StudentError, Unusable) as error:
        told = error.message if isinstance(error, StudentError) else str(error)
        notes.append(f"with shuffled weights the model could not be asked ({told[:200]})")
        return 0.0
    return float(np.mean(made[: len(others)] == others))


def _score(
    made: np.ndarray,
    order: np.ndarray,
    given: np.ndarray | None,
    hidden: HiddenLabels,
    told: dict[str, Any],
) -> dict[str, Any]:
    labels = np.array(hidden.labels)
    right = made == labels[order[: len(made)]]
    found: dict[str, Any] = {"accuracy": round(100 * float(np.mean(right)), 2)}
    if given is None:
        return found
    agreement = float(np.mean(given[order[: len(made)]] == made))
    found["agreement"] = round(agreement, 4)
    if agreement < LEAST_AGREEMENT:
        told["notes"].append(
            f"predictions.csv agrees with the model on {agreement:.1%} of {len(made)} sentences: "
            "the model's own predictions count"
        )
    if len(made) < len(labels):
        told["notes"].append(
            f"in the time there is, {len(made)} of {len(labels)} sentences were predicted: this "
            "random sample counts"
        )
    return found


def _predict(
    student: Student,
    files: dict[str, bytes],
    part: ModelPart,
    hidden: HiddenLabels,
    order: np.ndarray,
    seconds: float,
) -> np.ndarray:
    """Predictions for the sentences in this order, as far as the time goes."""
    loader, predictor = part.entry_points
    student.begin()
    _lay_down(student, {name: data for name, data in files.items() if not name.endswith(".csv")})
    source = f"student[{loader!r}]({FOLDER!r})"
    if loader not in student.names():
        raise Unusable(f"the notebook has no function {loader}(folder)")
    model: Handle = student.make(source, deadline=LOAD_SECONDS)
    made: list[int] = []
    until = time.monotonic() + seconds
    while len(made) < len(order) and time.monotonic() < until:
        texts = [hidden.sentences[i] for i in order[len(made) : len(made) + CHUNK]]
        ask = getattr(student, predictor)
        try:
            answer = student.call(ask, model, texts, deadline=max(5.0, until - time.monotonic()))
        except StudentError as error:
            if made and error.kind == TIMEOUT:
                break  # what there is counts
            raise
        made += _labels(answer.value, len(texts), predictor)
    return np.array(made)


def _lay_down(student: Student, files: dict[str, bytes]) -> None:
    """Write the files into the worker's own folder, in pieces that a message can carry."""
    student.make("__import__('os').makedirs(folder, exist_ok=True)", folder=FOLDER)
    for name, data in files.items():
        for start in range(0, len(data), PIECE):
            student.make(
                "open(place, mode).write(piece.tobytes())",
                deadline=LOAD_SECONDS,
                place=f"{FOLDER}/{name}",
                mode="ab" if start else "wb",
                piece=np.frombuffer(data[start : start + PIECE], dtype=np.uint8),
            )


def _labels(value: Any, wanted: int, predictor: str) -> list[int]:
    """A call's answer as labels. Raises Unusable for anything but `wanted` zeros and ones."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, list) or len(value) != wanted:
        got = f"{len(value)} values" if isinstance(value, list) else type(value).__name__
        raise Unusable(f"{predictor} gave {got} for {wanted} texts: wanted one label each")
    labels = []
    for label in value:
        if hasattr(label, "tolist"):  # an array or a tensor with one element is a number
            label = label.tolist()
        if not isinstance(label, (int, float)) or label not in (0, 1):
            raise Unusable(f"{predictor} gave {str(label)[:40]!r} for a label: wanted 0 or 1")
        labels.append(int(label))
    return labels


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


def _handed_in(
    files: dict[str, bytes], hidden: HiddenLabels, notes: list[str]
) -> np.ndarray | None:
    """predictions.csv as labels in the order of the split; None, with a note, if it is not that."""
    name = next((name for name in files if name.endswith(".csv")), "")
    if not name:
        notes.append("no predictions.csv was handed in")
        return None
    if other := _other_data(files, hidden):
        notes.append(f"{name} was made for other sentences, or for these in another order{other}")
        return None
    wanted = len(hidden.labels)
    try:
        reader = csv.DictReader(io.StringIO(files[name].decode("utf-8-sig")))
        rows = itertools.islice(reader, wanted + 1)
        found = {int(row["row"]): int(row["prediction"]) for row in rows}
    except (ValueError, KeyError, TypeError, csv.Error) as error:
        notes.append(f"{name} cannot be read ({type(error).__name__}): wanted row,prediction")
        return None
    if found.keys() != set(range(wanted)):
        notes.append(f"{name} has not one row for each of {wanted} sentences, 0 to {wanted - 1}")
        return None
    return np.array([found[i] for i in range(wanted)])


def _other_data(files: dict[str, bytes], hidden: HiddenLabels) -> str:
    """Where config.json says that other sentences came from; "" for the same sentences."""
    try:
        data = json.loads(files.get("config.json", b"{}"))["data"]
        same = data["fingerprint"] == hidden.fingerprint
        return "" if same else f" (from: {str(data.get('source'))[:40]})"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return ""
