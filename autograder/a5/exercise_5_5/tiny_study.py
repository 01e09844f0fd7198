"""The handed-in study of exercise 5.5: its trials, and one of them trained again."""

import hashlib

import numpy as np

from autograder.a5.student_side import made
from course_lib.study.handed_in import BadFile, read_trials
from course_lib.study.profiles import profile
from course_lib.study.space import FACTORS
from grader.checking.expect import Failure
from grader.seam import StudentError
from grader.seam.errors import MISSING, NOT_WRITTEN

FILE = "results.csv"
READ = "exercise 5.5; §6.2, Table 3"
PROFILE = profile("tiny")
UNFINISHED = ("waiting", "running")


def trials_of(handed_in):
    """The trials of the file. Raises NOT_WRITTEN without one, and Failure for a wrong one."""
    if FILE not in handed_in:
        raise StudentError(NOT_WRITTEN, "")
    try:
        return read_trials(handed_in[FILE])
    except BadFile as error:
        raise Failure(
            f"{FILE} as `course study rows` writes it", str(error), "write it again", READ
        ) from None


def configuration(trial):
    return {factor: trial[factor] for factor in FACTORS}


def levels(trial):
    return tuple(trial[factor] for factor in FACTORS)


def named(trial):
    """A trial in words."""
    parts = [f"{factor} {trial[factor]}" for factor in FACTORS]
    return f"{', '.join(parts)}, seed {trial['seed']}"


def seeds_by_configuration(trials):
    """The seeds of each configuration whose trials have ended, failed ones included."""
    found = {}
    for trial in trials:
        ended = found.setdefault(levels(trial), set())
        if trial["status"] not in UNFINISHED:
            ended.add(trial["seed"])
    return found


def inside(trial):
    """Whether every level is one of the study's."""
    return all(trial[factor] in FACTORS[factor] for factor in FACTORS)


def repeatable(trials):
    """The trials that can be trained again: complete ones of the tiny profile, on a CPU."""
    return [
        trial
        for trial in trials
        if trial["status"] == "complete"
        and trial["device"] == "cpu"
        and inside(trial)
        and trial["seed"] < 2**31
        and trial["curve"][0]["step"] == PROFILE.evaluate_every
    ]


def chosen(trials, data, rng):
    """One of the trials, by the release's seed and the file: nobody can know it beforehand."""
    digest = int.from_bytes(hashlib.sha256(data).digest()[:8], "big")
    place = np.random.default_rng([digest, int(rng.integers(2**32))]).integers(len(trials))
    return sorted(trials, key=named)[place]


def tiny_task():
    """The task of the tiny profile, without a word about its data; `seen` logs each validation."""
    from unittest.mock import patch

    from course_lib.data.datasets import load
    from course_lib.study.profiles import profile
    from course_lib.study.tasks.classification import ClassificationTask

    class Watched(ClassificationTask):
        def validate(self, model):
            measured = super().validate(model)
            self.seen.append(dict(measured))
            return measured

    with patch("builtins.print"):
        data = load("generated_votes")
    task = Watched(profile("tiny"), data)
    task.seen = []
    return task


def trained_again(its, trial):
    """The validations and the number of parameters of this trial, trained by the student."""
    task = made(its, tiny_task)()
    try:
        row = its.run_trial(configuration(trial), trial["seed"], task)
    except StudentError as error:
        if error.kind != MISSING:
            raise
        expected = "`run_trial` in the notebook, to train one trial again"
        raise Failure(expected, f"no `{error.message}`", "see exercise 5.2", READ) from None
    return task.get("seen"), row.get("parameters")
