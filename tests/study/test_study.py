"""A study in one process: its design, its trials, what its database keeps, and its failures."""

import csv
import json
import math
import random
import subprocess
import sys
from dataclasses import replace

import pytest
import study_stub
from datasets import Dataset

from course_lib.data import datasets
from course_lib.data.datasets import LoadedData
from course_lib.data.grammar.sentence_pairs import draw_pair
from course_study.commands import plan_of
from course_study.database.plan import Plan, enqueue, queue, queued
from course_study.database.rows import rows, to_csv
from course_study.database.storage import RETRIES, StudyError
from course_study.profiles import PROFILES, duration, profile
from course_study.space import DEFAULT, FACTORS
from course_study.tasks.classification import ClassificationTask
from course_study.tasks.rates import SCHEDULES, scaled_warmup
from course_study.tasks.translation import TranslationTask
from course_study.trial import run_trial

SHORT = replace(PROFILES["tiny"], n_steps=3, evaluate_every=2, untimed_steps=1, train_limit=100)
CLOSE = {"rel": 1e-12}

pytestmark = pytest.mark.usefixtures("without_shape_checks", "as_it_was")


# The design


@pytest.mark.parametrize("n_steps", [1, 2, 60, 100_000])
@pytest.mark.parametrize("warmup", FACTORS["warmup"])
def test_every_schedule_has_the_same_peak(n_steps, warmup):
    scaled = scaled_warmup(warmup, n_steps)
    for shape in SCHEDULES.values():
        rates = [shape(step, n_steps, scaled) for step in range(1, min(n_steps, 20_000) + 1)]
        assert max(rates) == pytest.approx(1.0)
        assert min(rates) > 0
        assert rates[scaled - 1] == pytest.approx(1.0)


def test_schedules_of_written_in_steps():
    wanted = {
        "paper": {1: 0.5, 2: 1.0, 8: 0.5, 18: 1 / 3},
        "constant": {1: 0.5, 2: 1.0, 8: 1.0, 18: 1.0},
        "cosine": {1: 0.5, 2: 1.0, 10: 0.5, 18: 0.0},  # 17 steps: 18 is just after the last
    }
    for name, rates in wanted.items():
        found = {step: SCHEDULES[name](step, 17, 2) for step in rates}
        assert found == pytest.approx(rates, abs=1e-15), name
    assert [scaled_warmup(4000, n) for n in (100_000, 1000, 10)] == [4000, 40, 1]


def test_the_time_of_a_study_grows_with_depth_and_falls_with_workers():
    settings = replace(SHORT, n_steps=100, seconds_a_step=0.5)
    one = [DEFAULT]
    assert duration(settings, one) == 50
    assert duration(settings, one * 4, workers=2) == 100
    assert duration(settings, [{**DEFAULT, "n_layers": 8}, {**DEFAULT, "n_layers": 4}]) == 100
    assert duration(settings, one, workers=4) == 50  # one trial is never shared
    assert duration(settings, []) == 0


# One trial


@pytest.fixture(scope="module")
def classification():
    return ClassificationTask(SHORT, datasets.load(SHORT.dataset, sources=["generated"]))


def measured(row):
    """What a seed decides."""
    timed = ("train_seconds", "tokens_per_second", "inferences_per_second")
    return {name: value for name, value in row.items() if name not in timed}


def test_a_seed_decides_a_trial_to_the_last_bit(classification):
    one, again, other = (run_trial(DEFAULT, seed, classification) for seed in (1, 1, 2))
    assert measured(one) == measured(again)
    assert one["validation_loss"] != other["validation_loss"]
    assert [point["step"] for point in one["curve"]] == [2, 3]
    assert one["validation_loss"] == one["curve"][-1]["loss"]
    assert one["tokens_per_second"] > 0


def test_translation_is_a_task_too():
    generator = random.Random(0)
    pairs = [draw_pair(generator) for _ in range(66)]
    rows = [{"en": pair[0], "fr": pair[1]} for pair in pairs]
    cuts = {"train": rows[:60], "validation": rows[60:63], "test": rows[63:]}
    splits = {name: Dataset.from_list(some) for name, some in cuts.items()}
    made_up = LoadedData("grammar_en_fr", "generated", "here", "0" * 64, "", "", (), splits)
    model = replace(SHORT.model, norm_first=False)
    task = TranslationTask(replace(SHORT, dataset="grammar_en_fr", model=model), made_up)
    smaller = {**DEFAULT, "n_layers": 4, "n_heads": 4}
    one, again = (run_trial(smaller, 1, task) for _ in range(2))
    assert measured(one) == measured(again)
    assert 0 <= one["quality"] <= 100
    assert "BLEU" in task.measure
    assert task.test(task.model(smaller)).keys() == {"quality", "loss"}


def test_the_peak_of_memory_starts_again_with_each_trial():
    """In a process of its own: in an old one, memory that was freed is used again."""
    script = """
import numpy, torch
from course_lib.training.long_trainings.peak_memory import PeakMemory
before = PeakMemory(torch.device("cpu"))
held = numpy.ones(400 * 2**20 // 8)
high = PeakMemory(torch.device("cpu")).mib
del held
print(before.of, before.mib, high, PeakMemory(torch.device("cpu")).mib, sep=";")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    of, *sizes = done.stdout.split(";")
    if of.startswith("not"):
        pytest.skip(of)
    before, high, after = map(float, sizes)
    assert min(before, high) > after + 300


# The database


def read_csv(path):
    """The rows of a file, without its empty cells."""
    texts = ("status", "design", "schedule", "measure", "device", "memory_of", "reason")
    with path.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            yield {n: cell if n in texts else json.loads(cell) for n, cell in row.items() if cell}


def test_a_study_runs_each_point_once_and_its_rows_survive_a_file(opened, tmp_path):
    study = queue(opened, study_stub.plan())
    told = []
    assert study_stub.run_here(opened, report=told.append) == len(told) == 12
    table = rows(study)
    assert study_stub.statuses(study) == ["complete"] * 12
    assert {(row["warmup"], row["seed"]) for row in table} == {
        (warmup, seed) for warmup in FACTORS["warmup"] for seed in range(4)
    }
    (tmp_path / "rows.csv").write_text(to_csv(table), encoding="utf-8")
    for row, read in zip(table, read_csv(tmp_path / "rows.csv"), strict=True):
        assert read == {name: row[name] for name in read}
        assert {"quality", "curve", "seconds", "inferences_per_second", "design"} <= read.keys()


def test_what_is_queued_is_not_queued_again(opened):
    plan = study_stub.plan()
    for _ in range(2):
        study = queue(opened, plan)
    assert len(study.trials) == len(queued(study)) == 12
    study_stub.run_here(opened)
    assert len(queue(opened, study_stub.plan(n_seeds=5)).trials) == 15
    with pytest.raises(StudyError, match="profile tiny, pruner none, and profile cpu, pruner none"):
        queue(opened, replace(plan, profile="cpu"))


def test_of_two_trials_of_one_point_one_is_run(opened):
    """Two `course study run` at the same moment can queue each point twice."""
    study = queue(opened, study_stub.plan(n_seeds=1))
    for trial in study.trials:
        enqueue(study, trial.params, trial.user_attrs)
    assert study_stub.run_here(opened) == 3
    assert study_stub.statuses(study) == ["complete"] * 3
    assert len(study.trials) == 6


def test_the_plan_of_a_profile():
    plan = plan_of(profile("tiny"), "mine")
    assert len(plan.points) == 34
    assert [seed for _, _, seed in plan.points] == [0] * 17 + [1] * 17
    with pytest.raises(ValueError, match="no profile 'huge': choose one of tiny, cpu, colab"):
        profile("huge")
    assert Plan.of("a", "b", {}, ()).points == []


# What goes wrong in a trial


def test_a_study_goes_on_after_failures(opened):
    class Failing(study_stub.Stub):
        def training(self, model, configuration, seed):
            if seed == 1:
                raise MemoryError("no room")
            for row in super().training(model, configuration, seed):
                yield {**row, "loss": math.nan if seed == 2 else 1.0}

    study = queue(opened, study_stub.plan())
    assert study_stub.run_here(opened, Failing()) == 12
    assert study_stub.statuses(study) == ["complete"] * 6 + ["diverged"] * 3 + ["out of memory"] * 3
    reasons = {row.get("reason") for row in rows(study)}
    assert reasons == {None, "no room", "the loss of step 1 is nan"}
    assert not queued(queue(opened, study_stub.plan()))  # a failure is a finding


def test_a_trial_that_takes_too_long_is_ended(opened):
    study = queue(opened, study_stub.plan(n_seeds=1))
    study_stub.run_here(opened, study_stub.Stub(seconds=0.01), seconds_a_trial=0.001)
    row = rows(study)[0]
    assert (row["status"], row["steps"]) == ("timed out", 2)
    assert row["reason"] == "0 s after step 2, of 0 s at most"


def test_a_quality_that_is_no_number_is_a_failure(opened):
    class NoNumber(study_stub.Stub):
        def validate(self, model):
            return {"quality": math.nan, "loss": 1.0}

    study = queue(opened, study_stub.plan(n_seeds=1))
    study_stub.run_here(opened, NoNumber())
    assert study_stub.statuses(study) == ["diverged"] * 3


def test_a_pruned_trial_is_not_complete(opened):
    class Falling(study_stub.Stub):
        quality = 100.0

        def validate(self, model):
            self.quality -= 1
            return {"quality": self.quality, "loss": 1.0}

    Falling.n_steps, Falling.evaluate_every = 16, 1
    study = queue(opened, replace(study_stub.plan(), pruner="asha"))
    study_stub.run_here(opened, Falling())
    assert set(study_stub.statuses(study)) == {"complete", "pruned"}
    pruned = [row for row in rows(study) if row["status"] == "pruned"]
    assert all(0 < row["steps"] < 16 and "quality" not in row for row in pruned)
    assert not queued(queue(opened, replace(study_stub.plan(), pruner="asha")))


def test_a_fault_of_the_program_ends_the_worker_and_the_point_is_tried_again(opened):
    def broken(*_):
        raise TypeError("a typo")

    study = queue(opened, study_stub.plan(n_seeds=1))
    with pytest.raises(TypeError, match="a typo"):
        study_stub.run_here(opened, trial=broken)
    assert study_stub.statuses(study) == ["waiting", "waiting", "worker lost"]
    queue(opened, study_stub.plan(n_seeds=1))
    study_stub.run_here(opened)
    assert study_stub.statuses(study) == ["complete"] * 3


@pytest.mark.parametrize(
    "place", ["study_stub.Stub.model", "course_study.database.worker.is_superseded"]
)
def test_an_interrupted_trial_is_queued_again(opened, place, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    study = queue(opened, study_stub.plan(n_seeds=1))
    for _ in range(RETRIES + 2):  # as often as one likes: this is no failure
        with monkeypatch.context() as patch:
            patch.setattr(place, interrupted)
            with pytest.raises(KeyboardInterrupt):
                study_stub.run_here(opened)
        assert study_stub.statuses(study) == ["waiting"] * 3
    study_stub.run_here(opened)
    assert study_stub.statuses(study) == ["complete"] * 3
