"""Trains the demonstration's models live, each kind in a separate process, during grading.

    with Training(folder, "bleu") as training:
        …                        # grade something else meanwhile
        training.learned()       # then folder/trained and folder/short can be handed in

All learn generated sentences; "short" stops early, with a poor model.
"""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.course.course import Course
from grader.course.problem import Problem

TRAINED, SHORT = "trained", "short"
MEASURED = "measured.json"


class TrainingFailedError(Problem):
    """A training failed; the message has its last line of output."""

    exit_code = 1


class Training(subprocess.Popen[str]):
    """Training of the models of one measure, one of `TRAININGS`, until done or the block ends."""

    def __init__(self, folder: Path, measure: str) -> None:
        self.folder, self.measure = folder, measure
        command = [sys.executable, "-m", __name__, str(folder), measure]
        super().__init__(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def learned(self) -> dict[str, float]:
        """Wait for the training; returns what it measured. Raises TrainingFailedError."""
        output, _ = self.communicate()
        if self.returncode:
            last = output.strip().splitlines()[-1:] or ["no output"]
            kind = "translator" if self.measure == "bleu" else "classifier"
            raise TrainingFailedError(f"the {kind} was not trained ({last[0]})")
        found: dict[str, float] = json.loads((self.folder / MEASURED).read_text("utf-8"))
        return found

    def __exit__(self, *raised: Any) -> None:
        self.kill()
        super().__exit__(*raised)


def train_classifiers(folder: Path) -> dict[str, float]:
    """Train both classifiers, and save each in `folder` as students do."""
    from course_lib.data import datasets
    from course_lib.recipes.classifier import train_classifier
    from course_lib.recipes.classifier_profiles import profile
    from course_lib.training import saved_model

    parts = [a.model for a in Course.here().assignments if a.model]
    [part] = (one for one in parts if one.measure == "accuracy")
    data = datasets.load(part.dataset, sources=["generated"])
    about = {"name": data.name, "source": data.source, "fingerprint": data.fingerprint(part.split)}
    for name, epochs in ((TRAINED, 12), (SHORT, 7)):
        made = train_classifier(data, replace(profile("tiny"), epochs=epochs), seed=0)
        labels = made.predict(data[part.split][:][part.source])
        saved_model.save(folder / name, made.model, made.arguments, made.tokenizer, labels, about)
    return {}


def train_translators(folder: Path) -> dict[str, float]:
    """Train both translators, save each in `folder` as students do, and measure the better one."""
    from course_lib.analysis.translator_alignment import error_rate
    from course_lib.data import datasets
    from course_lib.data.grammar.sentence_pairs import pairs
    from course_lib.evaluation.translation import exact_match
    from course_lib.recipes.translation import train_translator
    from course_lib.recipes.translation_profiles import profile
    from course_lib.training.saved_model import save_translator

    whole = profile("tiny")
    data = datasets.load(whole.dataset, sources=["generated"])
    test = data["test"][:]
    about = {"name": data.name, "source": data.source, "fingerprint": data.fingerprint("test")}
    for name, settings in ((SHORT, replace(whole, train_limit=2000, epochs=2)), (TRAINED, whole)):
        made = train_translator(data, settings, seed=0)
        asked = made.translator
        texts = asked.translate(test[whole.source], width=1)
        penalty = {"length_penalty": made.length_penalty}
        save_translator(
            folder / name, made.model, asked.arguments, made.tokenizer, texts, about, penalty
        )
    return {
        "exact_match": exact_match(texts, test[whole.target]),
        "alignment_error_rate": error_rate(asked, pairs("validation")),
        "cpu_seconds": made.cpu_seconds,
    }


TRAININGS = {"accuracy": train_classifiers, "bleu": train_translators}

if __name__ == "__main__":
    import torch

    torch.set_num_threads(1)
    target = Path(sys.argv[1])
    measured = TRAININGS[sys.argv[2]](target)
    target.joinpath(MEASURED).write_text(json.dumps(measured), encoding="utf-8")
