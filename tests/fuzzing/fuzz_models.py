"""The fuzzer's trained models: every answer that `predict` and `translate` may give."""

from __future__ import annotations

import functools
import json
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import fuzz_files
from fuzz_messages import HostileWorkers, Tree, any_answer, disturbed, encoded
from fuzz_mutation import ODD, SEEDS, Rng, Target

from grader.exchange import results_files
from grader.gradebook.result import Result
from grader.intake import handed_in
from grader.judge import grade, score
from grader.judge.models import asking, model_part
from grader.judge.models.asking import Grading
from grader.judge.models.scorer import HiddenLabels
from grader.judge.workers.load import Load
from grader.judge.workers.remote import RemoteBackend
from grader.report import page
from grader.seam import StudentError
from grader.seam.codec import Decoder

COURSE = fuzz_files.COURSE
TABLES = ("table", "table that notices shuffled weights")
MODELS = ("trained", "trained", "trained", "random", "constant", "odd", "endless")
SENTENCES = {"accuracy": 256, "bleu": 12}
MANY = 230  # translations: enough for a look at the sample
SECONDS = 0.05  # that a silent worker is waited for


@functools.lru_cache(maxsize=4)
def hidden(measure: str, size: int) -> HiddenLabels:
    """A test split of sentences that have nothing in common with their translations."""
    words = "one two red blue house tree runs sings old new".split()
    foreign = dict(zip(words, "ää öö üü éé îî ôô ûû àà çç œœ".split(), strict=True))
    chosen = [[words[(row * step) % 10] for step in (1, 3, 7)] for row in range(size)]
    sentences = tuple(f"{' '.join(row)} {number}" for number, row in enumerate(chosen))
    if measure == "accuracy":
        return HiddenLabels("mirror", sentences, tuple(row % 2 for row in range(size)), "f" * 64)
    references = tuple(" ".join([*map(foreign.get, row), "."]) for row in chosen)
    return HiddenLabels("mirror", sentences, references, "f" * 64)


class Model:
    """A notebook's `load_model` and `predict` or `translate`, as the judge meets them."""

    def __init__(self, rng: Rng, kind: str, part: Any, labels: HiddenLabels, worker: int):
        self.rng, self.kind, self.part, self.worker = rng, kind, part, worker
        self.in_words = part.measure == "bleu"
        self.table = dict(zip(labels.sentences, labels.labels, strict=True))
        self.right = rng.random()

    def respond(self, request: Tree, payload: bytes) -> bytes | None:
        calm = self.kind in TABLES
        if "load" in request:
            answer: Any = {"loaded": []}
            if not calm and self.rng.random() < 0.02:
                answer = {"loaded": self.rng.choice(ODD)}
            return self._sent(request, answer, b"")
        verb = request["verb"]
        value: Any = {"begin": None, "names": [*self.part.entry_points]}.get(verb, object())
        if verb == "call":
            if self.kind == "endless":
                return None
            value = {"value": self._answers(request, payload), "changed": []}
        tree, data = encoded(value)
        odd = 0.5 if self.kind == "odd" and verb == "call" else 0.0 if calm else 0.005
        if self.rng.random() < odd:
            return self._sent(request, *any_answer(self.rng, tree, data))
        return self._sent(request, {"ok": tree}, data)

    def _sent(self, request: Tree, answer: Any, payload: bytes) -> bytes | None:
        if self.kind in TABLES:
            return disturbed(SimpleNamespace(random=lambda: 1.0), request, answer, payload)
        return disturbed(self.rng, request, answer, payload)

    def _answers(self, request: Tree, payload: bytes) -> Any:
        decoder = Decoder(payload, lambda number, name: None)
        texts = decoder.decode(request["arguments"]["args"])[1]
        found = [self._answer(text) for text in texts]
        if self.kind in ("odd", "trained") and self.rng.random() < 0.1:
            if not self.in_words:
                import numpy as np
                import torch

                dtype = self.rng.choice(("int64", "float32", "bool", "float64", "uint8"))
                as_array = self.rng.choice((torch.tensor, np.array))(found)
                return as_array.to(getattr(torch, dtype)) if hasattr(as_array, "to") else as_array
            return tuple(found)
        if self.kind == "odd" and self.rng.random() < 0.5:
            found[self.rng.randrange(len(found))] = self._oddity()
        if self.kind == "odd" and self.rng.random() < 0.1:
            found = found[:-1] if self.rng.random() < 0.5 else found * self.rng.choice((0, 2, 500))
        return found

    def _oddity(self) -> Any:
        """Far too long a text once in a while: sizes cost time."""
        if self.rng.random() < 0.02:
            return self.rng.choice(("ab " * 300_000, "\ud800" * 3_000, "a" * 2_001, ".,;" * 999))
        short = [value for value in ODD if not isinstance(value, int) or abs(value) < 2**255]
        return self.rng.choice(short)

    def _answer(self, text: str) -> Any:
        default = "" if self.in_words else 0
        if self.kind == "table" or (self.kind == TABLES[1] and self.worker != 1):
            return self.table.get(text, default)
        if self.kind in TABLES or self.kind == "random":
            return (
                self.rng.choice(("", "çç", "öö ää .")) if self.in_words else self.rng.randrange(2)
            )
        if self.kind == "constant":
            return "ää" if self.in_words else 1
        if self.worker == 1:
            return f"{self.rng.random()}" if self.in_words else self.rng.randrange(2)
        known = self.table.get(text, default)
        number = zlib.crc32(text.encode()) / 2**32
        if number < self.right and known != default:
            return known
        first = text.split()[:1]
        return f"{first} ää öö" if self.in_words else zlib.crc32(repr(first).encode()) % 2


def submission(rng: Rng, part: Any) -> dict[str, bytes]:
    """The files of a submission: right ones, changed ones, and pickles under every name."""
    files = fuzz_files.changed_files(rng)
    weights = next(name for name in part.files if name.endswith(".safetensors"))
    kind = rng.random()
    if kind < 0.97:
        right = rng.choice(fuzz_files.small_weights())
        files[weights] = right if kind < 0.9 else fuzz_files.changed_weights(rng)
    if rng.random() < 0.3:
        for name in ("model.pkl", "pytorch_model.bin", "optimizer.pt", "tokenizer.json"):
            files[name] = rng.choice(fuzz_files.pickles())
    return files


def read_back(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files as the judge gets them: from a folder, by the intake."""
    folder = Path(fuzz_files.folder().name)
    for old in folder.iterdir():
        old.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return handed_in.find(folder).read()


def feed_model(seed: int) -> None:
    """One trained model, from its files to the student's page."""
    rng = Rng(seed)
    assignment = COURSE.assignment(rng.choice(("a3", "a3", "a3", "a4")))
    assert assignment.model is not None
    part = assignment.model.model_copy(update={"seconds": 20.0})
    size = SENTENCES[part.measure] if rng.random() < 0.97 else MANY
    labels = hidden(part.measure, size)
    kind = rng.choice((*TABLES, *MODELS))
    files = read_back(submission(rng, part))
    backends: list[RemoteBackend] = []

    def open_worker() -> RemoteBackend:
        own = Rng(rng.getrandbits(64))  # it answers in a thread
        model = Model(own, kind, part, labels, len(backends))
        workers: Any = HostileWorkers(rng, model.respond)
        waits = {"deadline": SECONDS, "load_deadline": SECONDS}
        backends.append(RemoteBackend(workers, Load([]), **waits))
        return backends[-1]

    def refused() -> RemoteBackend:
        raise StudentError("ValueError", "these are no weights of the course's model")

    exercises = [exercise for exercise in assignment.exercises if exercise.kind == "model"]
    seconds = 20.0 if kind in TABLES else SECONDS
    with patch.multiple(asking, MIN_SECONDS=seconds, LOAD_SECONDS=seconds):
        part = part.model_copy(update={"seconds": seconds})
        scorer = assignment.scorer
        workers = (open_worker, refused)
        grading = Grading(files, part, scorer, labels, 0, *workers, exercises)
        told = model_part.evaluate(grading)
    fuzz_files.no_pickle_was_loaded()
    if kind in TABLES and told.score is not None and not told.disputed:
        raise AssertionError(f"a {kind} was scored: {told}")
    entries = score.models(assignment, score.nothing(assignment), told)
    reported(assignment, entries, rng.random() < 0.1, told, files)


def reported(
    assignment: Any, entries: Any, page_too: bool, model: Any = None, files: Any = None
) -> None:
    """Store, read and show a result. Raises ValueError for points that nobody can get."""
    facts = grade.facts_of(b"{}", files or {})
    result = Result.of(assignment, facts, entries, "GRADED", "", model=model)
    text = json.dumps(result.as_json(), allow_nan=False)
    if len(text) > 2**20:
        raise ValueError(f"a result of {len(text):,} characters")
    graded = {"student": "ada", "graded_at": "2026-01-01T00:00:00+00:00"}
    again = Result.read(text).model_copy(update=graded)
    for entry in again.exercises:
        if entry.points is not None and not 0 <= entry.points <= entry.max_points + 0.01:
            raise ValueError(f"{entry.points} points in exercise {entry.id}")
    for shown in (results_files.to_json([again]), results_files.to_csv([again], COURSE)):
        shown.encode()
    if page_too:
        page.render_student(again, COURSE).encode()


TARGETS = (Target("answers of a model", SEEDS, feed_model, share=0.05),)
