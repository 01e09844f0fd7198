"""What is played: a term whose files and systems agree, and a training behind the demonstration."""

import pytest

from autograder.demo import models, term, term_class
from autograder.demo.models import Training, TrainingFailedError


def test_a_disagreement_is_named():
    places = {"results.json": {("ada", "a1"): 90.0}, "Canvas": {("ada", "a1"): 89.0}}
    assert term.disagreements(places) == ["ada a1: 90.0 in results.json, 89.0 in Canvas"]
    places["Canvas"] = {}
    assert "ada a1: 90.0 in results.json, nothing in Canvas" in term.disagreements(places)
    same = {
        "results.json": {("ada", "a1"): None},
        "Canvas": {("ada", "a1"): None, ("b", "a1"): 1.0},
    }
    assert not term.disagreements(same)


def test_the_situations_are_all_in_a_small_class():
    names = {term_class.situation(number) for number in range(len(term_class.SITUATIONS))}
    assert names == {*term_class.SITUATIONS}
    assert {*term_class.TERMS} <= names


def test_every_copy_is_known_with_its_original():
    assert term_class.copies(7) == []
    assert term_class.copies(8) == [{"s02-mistaken", "s08-copied"}]
    assert {"s15-mistaken", "s21-copied"} in term_class.copies(30)


@pytest.mark.slow
def test_the_totals_of_a_played_term_agree_everywhere(tmp_path, capsys):
    size = len(term_class.SITUATIONS)
    options = ["--students", str(size), "--assignments", "a1"]
    assert term.main([str(tmp_path / "term"), *options]) == 0
    assert "0 disagree" in capsys.readouterr().out


def test_a_training_that_is_left_is_ended(tmp_path):
    with Training(tmp_path, "bleu") as training:
        assert training.poll() is None
    assert training.wait(timeout=100) != 0


def test_a_training_that_fails_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "__name__", "autograder.no_such_module")
    with (
        Training(tmp_path, "bleu") as training,
        pytest.raises(TrainingFailedError, match=r"was not trained \(.*no_such_module"),
    ):
        training.learned()
