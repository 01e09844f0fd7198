"""Trains the demonstration's translators live, in a separate process, while grading goes on.

    with DemoTranslator(folder) as training:
        …                        # grade something else meanwhile
        training.wait()          # then folder/trained and folder/short can be handed in

Both learn the grammar's generated sentences; "short" stops early, with a poor model.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

from grader.course.problem import Problem

TRAINED, SHORT = "trained", "short"
PROFILE = "tiny"
SHORT_PAIRS, SHORT_EPOCHS = 2000, 2  # training pairs and epochs of "short"
MEASURED = "measured.json"


class TrainingFailedError(Problem):
    """The training failed; the message has its last line of output."""

    exit_code = 1


class DemoTranslator:
    """Training in the background, until `wait` returns or the block ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> DemoTranslator:
        command = [sys.executable, "-m", __name__, str(self.folder)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        return self

    def wait(self) -> dict[str, float]:
        """Wait for the training; returns its measurements. Raises TrainingFailedError."""
        output, _ = self.process.communicate()
        if self.process.returncode:
            last = output.strip().splitlines()[-1:] or ["no output"]
            raise TrainingFailedError(f"the translator was not trained ({last[0]})")
        found: dict[str, float] = json.loads((self.folder / MEASURED).read_text("utf-8"))
        return found

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def train(folder: Path) -> None:
    """Train both translators; write them and the measurements into `folder`."""
    import torch

    os.nice(10)  # the grading that the user watches goes first
    from course_lib.analysis.translator_alignment import error_rate
    from course_lib.data import datasets
    from course_lib.data.grammar.sentence_pairs import pairs
    from course_lib.evaluation.translation import exact_match
    from course_lib.recipes.translation import train_translator
    from course_lib.recipes.translation_profiles import profile
    from course_lib.training.saved_model import save_translator

    torch.set_num_threads(1)
    settings = profile(PROFILE)
    data = datasets.load(settings.dataset, sources=["generated"])
    test = data["test"][:]
    about = {"name": data.name, "source": data.source, "fingerprint": data.fingerprint("test")}
    measured: dict[str, float] = {}
    short = dataclasses.replace(settings, train_limit=SHORT_PAIRS, epochs=SHORT_EPOCHS)
    for name, chosen in ((SHORT, short), (TRAINED, settings)):
        started = time.perf_counter()
        trained = train_translator(data, chosen, seed=0)
        translations = trained.translator.translate(test[settings.source], width=1)
        arguments = trained.translator.arguments
        penalty = {"length_penalty": trained.length_penalty}
        target = folder / name
        save_translator(
            target, trained.model, arguments, trained.tokenizer, translations, about, penalty
        )
        measured = {
            "exact_match": exact_match(translations, test[settings.target]),
            "alignment_error_rate": error_rate(trained.translator, pairs("validation")),
            "seconds": time.perf_counter() - started,
            "cpu_seconds": trained.cpu_seconds,
        }
    (folder / MEASURED).write_text(json.dumps(measured), encoding="utf-8")


if __name__ == "__main__":
    train(Path(sys.argv[1]))
