"""The task of a study that predicts the next token, and the factor of positions in every task."""

import contextlib
import dataclasses
import re

import pytest
import torch
from checkout import ROOT

from course_lib.config import SCHEMES
from course_lib.data import datasets
from course_lib.families.relative_attention import RelativeMultiHeadAttention
from course_lib.families.rotary_attention import RotaryMultiHeadAttention
from course_study import commands, profiles
from course_study.space import DEFAULT
from course_study.tasks.classification import ClassificationTask
from course_study.tasks.language import LanguageTask
from course_study.tasks.translation import TranslationTask
from course_study.trial import run_trial
from grader.course.course import Course
from grader.library import student_tree

pytestmark = pytest.mark.usefixtures("without_shape_checks")

CELL = re.compile(r"tags: \[skip-execution\]\n---\n(.*?)```", re.DOTALL)
LOAD = datasets.load


def short(name):
    return dataclasses.replace(
        profiles.PROFILES[name], n_steps=3, evaluate_every=3, untimed_steps=1, max_tokens=128
    )


def few(name="grammar_en_fr", **_):
    with contextlib.redirect_stdout(None):
        data = LOAD("grammar_en_fr" if name.endswith("en_fr") else name)
    splits = {name: split.select(range(150)) for name, split in data.splits.items()}
    return dataclasses.replace(data, splits=splits)


@pytest.fixture(scope="module")
def task():
    return LanguageTask(short("language"), few())


def test_a_trial_of_the_next_token_is_repeated_by_its_seed(task):
    configuration = {**DEFAULT, "n_layers": 1, "positions": "rotary"}
    one, same, other = (run_trial(configuration, seed, task) for seed in (0, 0, 1))
    assert one["curve"] == same["curve"]
    assert one["curve"] != other["curve"]
    assert one["positions"] == "rotary"
    assert 0 <= one["quality"] <= 100
    assert one["validation_loss"] < 1.05 * torch.tensor(task.tokenizer.vocab_size).log()
    assert task.test(task.model(configuration))["loss"] > 0


def test_quality_is_the_share_of_next_tokens_that_are_right(task, monkeypatch):
    class Knowing(torch.nn.Module):
        """Knows what follows in the stream that is measured."""

        def __init__(self, stream):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(1))
            self.after = dict(zip(stream[:-1].tolist(), stream[1:].tolist(), strict=True))

        def forward(self, ids):
            found = [[self.after[token] for token in row] for row in ids.tolist()]
            return 10.0 * torch.nn.functional.one_hot(torch.tensor(found), 300).float()

    stream = torch.arange(4 * 64 + 1) % 97  # every token has one that follows it
    model = Knowing(stream)
    monkeypatch.setattr(task, "_stream", lambda split: stream)
    assert task.measured(model, "test")["quality"] == 100.0
    model.after = dict.fromkeys(range(97), 5)
    assert task.measured(model, "test")["quality"] == pytest.approx(100 * 3 / 256)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_task_takes_positions_by_name(task, scheme):
    configuration = {**DEFAULT, "n_layers": 1, "positions": scheme}
    attention = task.model(configuration).blocks[0].attention
    assert isinstance(attention, RelativeMultiHeadAttention) == (scheme == "relative")
    settings = short("tiny")
    model = ClassificationTask(settings, few(settings.dataset)).model(configuration)
    kind = type(model.encoder.layers[0].attention)
    assert (kind is RelativeMultiHeadAttention) == (scheme == "relative")
    assert (kind is RotaryMultiHeadAttention) == (scheme == "rotary")
    translation = TranslationTask.__new__(TranslationTask)
    if scheme != "sinusoidal":
        with pytest.raises(ValueError, match="sinusoidal positions: leave `positions` out"):
            translation.model(configuration)


def test_without_the_factor_positions_are_the_papers(task):
    assert task.model({**DEFAULT, "n_layers": 1}).kind == "sinusoidal"


def test_the_profile_of_text_is_the_task_of_text(monkeypatch):
    monkeypatch.setattr(commands, "load", few)
    assert isinstance(commands._task(short("language"), "cpu"), LanguageTask)
    assert isinstance(commands._task(short("tiny"), "cpu"), ClassificationTask)


def test_the_task_of_assignment_5_needs_no_answer_of_assignment_4():
    """Its factor of positions must not bring in the language model, whose mask is one."""
    course = Course.here()
    hidden = student_tree.unreleased(course, student_tree.released_before(course, "a5"))
    given = student_tree.modules(course, hidden)
    assert "course_study.tasks.classification" in given
    assert "course_lib.families.position_variants" in given


def test_the_cell_of_part_4_runs(monkeypatch, capsys):
    import numpy

    (cell,) = CELL.findall((ROOT / "lectures" / "part4_positions.md").read_text(encoding="utf-8"))
    monkeypatch.setattr(profiles, "profile", short)
    monkeypatch.setattr(datasets, "load", few)
    exec(cell, {"np": numpy})
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["perplexity", *SCHEMES]
    assert all(float(number) > 1 for line in lines[1:] for number in line.split()[1:])
