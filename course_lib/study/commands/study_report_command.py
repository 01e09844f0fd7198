"""`course study report` and `course study confirm`: what a study found, and whether it holds."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path

import optuna

from course_lib.study.confirmation import confirm as confirm_study
from course_lib.study.database.data_used import same_data
from course_lib.study.database.storage import StudyError, open_study, sentences, storage
from course_lib.study.database.worker import deterministic
from course_lib.study.profiles import profile
from course_lib.study.report.build import report as make
from course_lib.study.report.build import told, write
from course_lib.study.report.material import material
from course_lib.study.start import task_of
from grader.cli import EXIT_OK
from grader.cli.problems import UsageProblem

from .study_command import Where


def report(where: Where, out: Path, as_json: bool) -> int:
    """Write the report and say where it is."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    found = material(storage(where.url), where.name)
    try:
        made = make(found)
    except ValueError as error:
        raise StudyError(f"the study {where.name!r} cannot be reported: {error}") from error
    files = write(made, out)
    if as_json:
        paths = {"html": str(files.html), "markdown": str(files.markdown)}
        print(json.dumps({**told(found), **paths, "figures": [str(f) for f in files.figures]}))
    else:
        print(f"Report    {files.html}\nMarkdown  {files.markdown}")
    return EXIT_OK


def confirm(where: Where, seeds: str, device: str, as_json: bool) -> int:
    """Confirm the study, one line a seed, and say what the test split gave."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    wanted = _numbers(seeds)
    opened = storage(where.url)
    study = open_study(opened, where.name)
    deterministic()
    with sentences(opened.url):
        with redirect_stdout(sys.stderr):  # what was loaded is told, and stdout is for the record
            task = task_of(profile(study.user_attrs["profile"]), device)
        same_data(study, task.data)
        record = confirm_study(study, task, wanted, lambda line: print(line, file=sys.stderr))
    if as_json:
        print(json.dumps(record))
        return EXIT_OK
    reached = ", ".join(f"{value:.2f}" for value in record["test"])
    print(f"test split: {reached} ({record['measure']}); `course study report` shows it")
    return EXIT_OK


def _numbers(seeds: str) -> list[int]:
    try:
        return [int(seed) for seed in seeds.split(",")]
    except ValueError:
        raise UsageProblem(f"--seeds {seeds}: give whole numbers, as in 100,101,102") from None
