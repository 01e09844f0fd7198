"""Hidden tests of exercise 5.5: the handed-in trials, and one of them trained again."""

import hashlib

import numpy as np

from autograder.a5.student_side import made
from course_study.designs import one_at_a_time
from course_study.handed_in import BadFile, read_trials
from course_study.profiles import profile
from course_study.space import DEFAULT, FACTORS
from grader.checking import expect
from grader.checking.exercise import exercise, fixture
from grader.seam import StudentError
from grader.seam.errors import NOT_WRITTEN

FILE = "results.csv"
READ = "exercise 5.5; §6.2, Table 3"
PROFILE = profile("tiny")
UNFINISHED = ("waiting", "running")
AGAIN = "run `course study run --profile tiny` to its end, then `course study rows`"
ANOTHER = "another `run_trial` made this row: run the whole study again, on a CPU"
TOLD = {"otherwise": ANOTHER, "read": READ}
LEFT_OUT = "hand in every trial, also one that failed: its status is a result"
# The first evaluation of 24 trials (12 configurations, 2 seeds) differs by at most 7.2e-5 with
# ATEN_CPU_CAPABILITY=default, 1.0e-5 with MKL_CBWR=COMPATIBLE, 6e-8 with two threads, and not at
# all without oneDNN or with torch's deterministic algorithms. It differs by more than 2e-3 between
# 97 %, and by more than 2e-2 between 82 %, of the pairs of trials.
TOLERANCE = 2e-3
LATER = 0.05  # of the losses after it, where such differences have grown


@fixture
def trials(handed_in):
    """The rows of the file."""
    if FILE not in handed_in:
        raise StudentError(NOT_WRITTEN, "")
    try:
        return read_trials(handed_in[FILE])
    except BadFile as error:
        expected = f"{FILE} as `course study rows` writes it"
        raise expect.Failure(expected, str(error), "write it again", READ) from None


def named(row):
    """A configuration in words."""
    return ", ".join(f"{factor} {row[factor]}" for factor in FACTORS)


def label(trial):
    return f"{named(trial)}, seed {trial['seed']}"


def inside(trial):
    """Whether every level is one of the study's."""
    return all(trial[factor] in FACTORS[factor] for factor in FACTORS)


def complete(trials):
    return [trial for trial in trials if trial["status"] == "complete"]


def ended(trials):
    """The seeds of each configuration whose trials have ended, failed ones included."""
    found = {named(trial): set() for trial in trials}
    for trial in trials:
        if trial["status"] not in UNFINISHED:
            found[named(trial)].add(trial["seed"])
    return found


def require(condition, expected, got, advice):
    expect.true(bool(condition), expected=expected, got=got, otherwise=advice, read=READ)


def none_of(strays, what, expected, advice):
    """Raises Failure that counts these strays and names the first, if there are any."""
    got = f"{len(strays)} {what}, the first: {strays[0]}" if strays else ""
    require(not strays, expected, got, advice)


@exercise("5.5")
def test_the_file(trials):
    """`results.csv` can be read and has every column."""


@exercise("5.5", weight=1.5)
def test_configurations(trials):
    """The default, and at least 15 configurations in all, of the study's levels."""
    strays = [named(trial) for trial in trials if not inside(trial)]
    levels = "levels of FACTORS only, so that all studies can be compared"
    none_of(strays, "trials with others", levels, "vary the factors of course_study.space")
    found = set(map(named, trials))
    expected = "at least 15 different configurations, with the default among them"
    got = f"{len(found)}, {'with' if named(DEFAULT) in found else 'without'} the default"
    require(len(found) >= 15 and named(DEFAULT) in found, expected, got, AGAIN)


@exercise("5.5", weight=2)
def test_seeds(trials):
    """Every configuration has two seeds or more, and every trial has ended."""
    left = [label(trial) for trial in trials if trial["status"] in UNFINISHED]
    advice = "run the same command again: the study resumes"
    none_of(left, "that wait or run", "trials that have ended, well or badly", advice)
    single = [which for which, seeds in ended(trials).items() if len(seeds) < 2]
    advice = "without a second seed nobody knows the noise"
    none_of(single, "configurations with fewer", "two seeds of every configuration", advice)


@exercise("5.5", weight=1.5)
def test_nothing_is_left_out(trials):
    """Every planned trial is in the file, the failed ones too: each factor varied alone."""
    by_configuration, planned = ended(trials), map(named, one_at_a_time(DEFAULT, FACTORS))
    absent = [which for which in planned if which not in by_configuration]
    expected = "for each factor all configurations that differ from the default in it alone"
    none_of(absent, "configurations are not there", expected, LEFT_OUT)
    seeds = {trial["seed"] for trial in trials} & {*PROFILE.seeds}
    gaps = [which for which, found in by_configuration.items() if seeds - found]
    none_of(gaps, "configurations lack one", f"seeds {sorted(seeds)} of each", LEFT_OUT)


@exercise("5.5", weight=2)
def test_trials_fit_together(trials):
    """Complete trials take all steps, and their quality is their curve's last."""
    advice = "see the column `reason`, mend what is wrong, and run the study again"
    require(complete(trials), "complete trials", "none", advice)
    strays = []
    for trial in complete(trials):
        last = trial["curve"][-1]
        got = (trial["steps"], last["step"], trial["quality"], trial["validation_loss"])
        wanted = (PROFILE.n_steps, PROFILE.n_steps, last["quality"], last["loss"])
        if got != wanted or any(not 0 <= entry["quality"] <= 100 for entry in trial["curve"]):
            strays.append(f"{label(trial)}, with {got}, not {wanted}")
    expected = f"{PROFILE.n_steps} steps, {PROFILE.n_steps} in the curve, its last quality and loss"
    none_of(strays, "trials have others", expected, "a row has the last evaluation of its curve")


@exercise("5.5")
def test_no_copies(trials):
    """No trial is a copy of another."""
    done = complete(trials)
    measured = [str([t["quality"], t["validation_loss"], t["curve"]]) for t in done]
    copies = [
        f"{label(trial)}, that of {label(done[measured.index(own)])}"
        for place, (trial, own) in enumerate(zip(done, measured, strict=True))
        if own in measured[:place]
    ]
    advice = "a trial was copied, or its seed is not used: run both again"
    none_of(copies, "curves for the second time", "another curve for every trial", advice)


def tiny_task():
    """The task of the tiny profile, without a word about its data; `seen` logs each validation."""
    from unittest.mock import patch

    from course_lib.data.datasets import load
    from course_study.profiles import profile
    from course_study.tasks.classification import ClassificationTask

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


def drawn(trials, data, rng):
    """A trial that can be trained again, by the release's seed and the file."""
    candidates = [
        trial
        for trial in complete(trials)
        if trial["device"] == "cpu"
        and inside(trial)
        and trial["seed"] < 2**31
        and trial["curve"][0]["step"] == PROFILE.evaluate_every
    ]
    expected = "complete trials of the tiny profile, trained on a CPU"
    advice = "on a GPU torch draws other random numbers: use `--device cpu`"
    require(candidates, expected, "no trial that can be trained again", advice)
    digest = int.from_bytes(hashlib.sha256(data).digest()[:8], "big")
    return np.random.default_rng([digest, int(rng.integers(2**32))]).choice(candidates)


@exercise("5.5", weight=3)
def test_one_trial_again(student, rng, handed_in, trials):
    """One trial, drawn by lot and trained again, agrees with its row."""
    trial, task = drawn(trials, handed_in[FILE], rng), made(student, tiny_task)()
    expected = "`run_trial` in the notebook, to train one trial again"
    require("run_trial" in student.names(), expected, "no `run_trial`", "see exercise 5.2")
    row = student.run_trial({factor: trial[factor] for factor in FACTORS}, trial["seed"], task)
    seen = task.get("seen")
    expect.equal(len(seen), len(trial["curve"]), what="evaluations", **TOLD)
    expect.equal(trial.get("parameters"), row.get("parameters"), what="parameters", **TOLD)
    for entry, again in zip(trial["curve"], seen, strict=True):
        first = entry is trial["curve"][0]
        for name, wide in (("loss", TOLERANCE if first else LATER), ("quality", 2.0)):
            what = f"the {name} after {entry['step']:g} steps of {label(trial)}"
            expect.close(entry[name], again[name], atol=wide, rtol=0.0, what=what, **TOLD)
