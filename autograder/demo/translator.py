"""The translator of the demonstration: trained live, in a process of its own, next to grading.

    with DemoTranslator(folder) as training:
        …                        # grade something else meanwhile
        training.wait()          # then folder/trained and folder/short can be handed in

Both learn the grammar's made-up sentences; "short" stops long before it knows them.
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

TRAINED, SHORT = "trained", "short"
PROFILE = "tiny"
FEW, EPOCHS = 2000, 2  # pairs that "short" learns from, and how often it sees them
MEASURED = "measured.json"


class TrainingFailedError(Exception):
    """The training ended without a translator; its last words."""


class DemoTranslator:
    """A training that runs in the background until `wait`, or until the block ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> DemoTranslator:
        command = [sys.executable, "-m", __name__, str(self.folder)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        return self

    def wait(self) -> dict[str, float]:
        """What was measured once the training is over. Raises TrainingFailedError."""
        said, _ = self.process.communicate()
        if self.process.returncode:
            last = said.strip().splitlines()[-1:] or ["it said nothing"]
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
    """Write `short`, `trained` and what was measured into `folder`."""
    import torch

    os.nice(10)  # the grading before your eyes goes first
    from course_lib.analysis.translator_alignment import error_rate
    from course_lib.course.submission_folder import save_translator
    from course_lib.data import datasets
    from course_lib.data.grammar.sentence_pairs import pairs
    from course_lib.evaluation.translation import exact_match
    from course_lib.recipes.translation import train_translator
    from course_lib.recipes.translation_profiles import profile

    torch.set_num_threads(1)
    settings = profile(PROFILE)
    data = datasets.load(settings.dataset, sources=["generated"])
    test = data["test"][:]
    about = {"name": data.name, "source": data.source, "fingerprint": data.fingerprint("test")}
    measured: dict[str, float] = {}
    short = dataclasses.replace(settings, train_limit=FEW, epochs=EPOCHS)
    for name, chosen in ((SHORT, short), (TRAINED, settings)):
        started = time.perf_counter()
        trained = train_translator(data, chosen, seed=0)
        made = trained.translator.translate(test[settings.source], width=1)
        arguments = trained.translator.arguments
        penalty = {"length_penalty": trained.length_penalty}
        place = folder / name
        save_translator(place, trained.model, arguments, trained.tokenizer, made, about, penalty)
        measured = {
            "exact_match": exact_match(made, test[settings.target]),
            "alignment_error_rate": error_rate(trained.translator, pairs("validation")),
            "seconds": time.perf_counter() - started,
            "cpu_seconds": trained.cpu_seconds,
        }
    (folder / MEASURED).write_text(json.dumps(measured), encoding="utf-8")


if __name__ == "__main__":
    train(Path(sys.argv[1]))
