"""Trains the fallback model of an assignment, measures it as students will use it, and writes it.

It goes beside a release, never into one: `fallback/aN` with the files of a submission without its
predictions, and a card (see `grader.course.fallback`).
"""

import hashlib
import json
import os
import shutil
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

import course_lib
from course_lib.config import TransformerConfig
from course_lib.data import datasets
from course_lib.evaluation.translation import bleu
from course_lib.recipes import classifier_profiles, translation_profiles
from course_lib.recipes.classifier import train_classifier
from course_lib.recipes.translation import train_translator
from course_lib.training.saved_model import TRANSLATOR_WEIGHTS, WEIGHTS, save_model
from grader.authoring.views import notebooks
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.exercise import ModelPart
from grader.course.fallback import CARD, FOLDER, Card
from grader.course.problem import Problem
from grader.notebook import notebook_file
from grader.student import work
from grader.student.work import Work

PACKAGE = Path(course_lib.__file__).parent


class FallbackError(Problem):
    """A fallback model that cannot be made; the message says why, in one sentence."""


def make(course: Course, assignment: Assignment, profile: str, seed: int, to: Path) -> Card:
    """Train a model and write it to `to/fallback/aN`; without `profile`, the assignment's default.

    Raises FallbackError if the assignment has no model, if its data set cannot be had, or if the
    model would earn no points on the validation split. Then nothing is written.
    """
    if assignment.model is None or assignment.profiles is None:
        raise FallbackError(f"{assignment.id} trains no model, so it needs no fallback")
    name = profile or assignment.profiles.default
    target = to / FOLDER / assignment.id
    if target.exists() and not (target / CARD).is_file():
        raise FallbackError(f"{target}: exists already and is not a fallback model; move it")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, assignment.id)
        card = _trained(course, assignment, assignment.model, name, seed, made)
        least = next(e.zero_at for e in assignment.exercises if e.kind == "model") or 0.0
        if card.score <= least:
            raise FallbackError(
                f"the model reaches {card.measure} {card.score:.1f} on {card.examples} validation "
                f"sentences, and points begin above {least:g}: choose another profile or seed"
            )
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(made, target)
    return card


def _trained(
    course: Course, assignment: Assignment, part: ModelPart, name: str, seed: int, folder: Path
) -> Card:
    translates = part.measure == "bleu"
    try:
        settings: Any = (translation_profiles if translates else classifier_profiles).profile(name)
    except ValueError as error:
        raise FallbackError(str(error)) from None
    data = datasets.load(settings.dataset)
    if data.name != settings.dataset:
        raise FallbackError(
            f"{settings.dataset} cannot be had, only {data.name} in its place: set COURSE_DATA to "
            "the folder of the data sets, or choose another profile"
        )
    trained_on = {"name": data.name, "source": str(data.source), "sha256": data.sha256}
    version, code = course_lib.__version__, _code()
    facts = json.dumps([assignment.id, name, seed, version, code, data.sha256])
    id = hashlib.sha256(facts.encode()).hexdigest()[:12]
    about: dict[str, Any] = {"data": trained_on, "fallback": id}
    examples, columns = data["validation"][:], (part.source, part.target)
    if translates:
        made = train_translator(data, settings, seed)
        sizes = TransformerConfig.of(made.model).arguments
        about["model"] = {"vocab_size": made.tokenizer.vocab_size, **sizes}
        about["measured"] = {"length_penalty": made.length_penalty}
        save_model(folder, TRANSLATOR_WEIGHTS, made.model, about, made.tokenizer)
        examples = data["validation"][: settings.sample]
        columns = (settings.source, settings.target)
    else:
        classifier = train_classifier(data, settings, seed)
        about["model"] = classifier.arguments
        save_model(folder, WEIGHTS, classifier.model, about, classifier.tokenizer)
    inputs, wanted = (examples[column] for column in columns)
    score = round(_score(course, assignment, part, folder, inputs, wanted), 2)
    files = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.iterdir())}
    made_by = (id, assignment.id, name, seed, version, code, str(torch.__version__), trained_on)
    card = Card(*made_by, part.measure, score, len(inputs), files, assignment.scorer.unit)
    (folder / CARD).write_text(json.dumps(asdict(card), indent=1) + "\n", encoding="utf-8")
    return card


def _code() -> str:
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _score(
    course: Course,
    assignment: Assignment,
    part: ModelPart,
    folder: Path,
    inputs: list[str],
    wanted: list[Any],
) -> float:
    """Accuracy in percent, or BLEU, when a solved notebook's own functions load and ask it."""
    solved = notebooks.dump(notebooks.build(course, assignment, "solution")).encode()
    found = Work(assignment, Path(assignment.source), solved, notebook_file.read(solved))
    namespace, _ = work.loaded(found)
    load, ask = (namespace[name] for name in part.entry_points)
    answers = ask(load(os.fspath(folder)), inputs)
    if part.measure == "bleu":
        return bleu(answers, wanted).value
    return 100 * float(assignment.scorer.same(answers, wanted))
