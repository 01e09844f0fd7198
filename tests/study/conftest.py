"""What the tests of studies share."""

import optuna
import pytest
import torch

from course_lib.study.database.storage import storage


@pytest.fixture
def as_it_was(tmp_path, monkeypatch):
    """`work` sets torch's algorithms, and leaves files where it runs."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    monkeypatch.chdir(tmp_path)
    yield
    torch.set_deterministic_debug_mode("default")


@pytest.fixture
def opened(tmp_path):
    return storage(f"sqlite:///{tmp_path}/study.db", grace=5)
