"""The demonstration's background training ends with its block, and reports a failure."""

import pytest

from autograder.demo import translator
from autograder.demo.translator import DemoTranslator, TrainingFailedError


def test_a_training_that_is_left_is_ended(tmp_path):
    with DemoTranslator(tmp_path) as training:
        assert training.process.poll() is None
    assert training.process.wait(timeout=100) != 0


def test_a_training_that_fails_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(translator, "__name__", "autograder.no_such_module")
    with (
        DemoTranslator(tmp_path) as training,
        pytest.raises(TrainingFailedError, match=r"was not trained \(.*no_such_module"),
    ):
        training.wait()
