"""A fallback model is trained, measured, written beside a release, and loaded with one line."""

import dataclasses
import hashlib
import json
import shutil

import pytest

from autograder import fallback_model
from autograder.fallback_model import FallbackError
from course_lib.recipes import translation_profiles
from grader.cli.authoring import release_command
from grader.cli.authoring.authoring_options import Release
from grader.cli.output import UsageProblem
from grader.course import fallback as students
from grader.course.problem import SetupError
from grader.grading import fingerprints
from grader.judge.models import scorer

pytestmark = pytest.mark.xdist_group("fallback")  # its model is trained once


@pytest.fixture(scope="module")
def made(course, tmp_path_factory):
    """A fallback classifier of the profile `tiny`: the folder around a release, and the card."""
    folder = tmp_path_factory.mktemp("around")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("COURSE_DATA", raising=False)
        card = fallback_model.make(course, course.assignment("a3"), "tiny", 1, folder)
    return folder, card


@pytest.fixture
def here(made, tmp_path, monkeypatch):
    """A student's folder with the model in it."""
    shutil.copytree(made[0] / "fallback", tmp_path / "fallback")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_card_says_what_was_trained_on_what(made):
    _, card = made
    assert (card.assignment, card.profile, card.seed) == ("a3", "tiny", 1)
    assert card.data["name"] == "generated_sentences"
    assert len(card.data["sha256"]) == len(card.code) == 64
    assert card.score > 60
    assert set(card.files) == {"classifier.safetensors", "config.json", "tokenizer.json"}


def test_a_student_loads_it_with_one_line(made, here, capsys):
    from safetensors.torch import load_file

    from course_lib.classifier import EncoderClassifier
    from course_lib.data.tokenization import TextTokenizer
    from course_lib.training.saved_model import WEIGHTS, save_model

    folder = students.fallback("a3")
    said = capsys.readouterr().out
    assert said.startswith(f"fallback model {made[1].id} of a3: profile tiny, seed 1")
    assert said.endswith("It earns no points of the exercise that trains a model.\n")
    model = EncoderClassifier(**json.loads((folder / "config.json").read_text())["model"])
    model.load_state_dict(load_file(folder / WEIGHTS))
    tokenizer = TextTokenizer.load(folder / "tokenizer.json")
    handed_in = save_model(here / "submission", WEIGHTS, model, {}, tokenizer) / WEIGHTS
    assert hashlib.sha256(handed_in.read_bytes()).hexdigest() == made[1].files[WEIGHTS]


def test_a_changed_or_absent_model_is_one_sentence(here):
    with pytest.raises(SetupError, match="no fallback model of a4: ask your instructor"):
        students.fallback("a4")
    (here / "fallback/a3/tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SetupError, match="no whole fallback model .tokenizer.json was changed"):
        students.fallback("a3")
    (here / "fallback/a3/card.json").write_text("{", encoding="utf-8")
    with pytest.raises(SetupError, match="get it from your instructor again"):
        students.fallback("a3")


def test_the_grader_knows_the_weights_by_the_card(course, made, here, monkeypatch):
    monkeypatch.delenv("COURSE_DATA", raising=False)
    labels = scorer.hidden_labels(course, course.assignment("a3"), ["generated"])
    assert labels.fallback == made[1].files["classifier.safetensors"]
    shutil.rmtree(here / "fallback")
    without = scorer.hidden_labels(course, course.assignment("a3"), ["generated"])
    assert without.fallback == ""
    keys = [fingerprints.parts(course, course.assignment("a3"), one) for one in (labels, without)]
    assert keys[0][""] != keys[1][""]  # so that grades given without the card are given again


def test_what_learned_nothing_is_not_handed_out(course, tmp_path, monkeypatch):
    short = dataclasses.replace(
        translation_profiles.profile("tiny"), train_limit=40, epochs=1, sample=8
    )
    monkeypatch.setitem(translation_profiles.PROFILES, "tiny", short)
    monkeypatch.delenv("COURSE_DATA", raising=False)
    with pytest.raises(FallbackError, match="the model reaches bleu .* choose another profile"):
        fallback_model.make(course, course.assignment("a4"), "tiny", 0, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_bad_input_is_one_sentence(tmp_path):
    options = Release(tmp_path, fallback="a3")
    for changes, told in (
        ({"fallback": "a1"}, "a1 trains no model"),
        ({"profile": "huge"}, "there is no profile 'huge'"),
        ({"zip": True}, "never into it or a commit"),
        ({"week": 1}, "choose one"),
    ):
        with pytest.raises((UsageProblem, FallbackError), match=told):
            release_command.run(dataclasses.replace(options, **changes))
    (tmp_path / ".course-release.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UsageProblem, match="name the folder around the release"):
        release_command.run(options)
