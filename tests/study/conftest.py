"""What the tests of studies share."""

import shutil

import optuna
import pytest
import torch
from sqlalchemy import event

from course_study.database.storage import storage


@pytest.fixture
def as_it_was(tmp_path, monkeypatch):
    """`work` sets torch's algorithms, and leaves files where it runs."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    monkeypatch.chdir(tmp_path)
    yield
    torch.set_deterministic_debug_mode("default")


def opened_at(path):
    """The storage of a file that need not survive a loss of power."""
    found = storage(f"sqlite:///{path}", grace=5)
    found.engine.dispose()
    event.listen(found.engine, "connect", lambda one, _: one.execute("PRAGMA synchronous = OFF"))
    return found


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """A database for made-up studies of any test: to make its tables takes a second."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return opened_at(tmp_path_factory.mktemp("study") / "study.db")


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """The file of a database that has its tables and no study."""
    path = tmp_path_factory.mktemp("empty") / "study.db"
    storage(f"sqlite:///{path}").engine.dispose()
    return path


@pytest.fixture
def opened(empty, tmp_path):
    """A database of this test alone."""
    return opened_at(shutil.copy(empty, tmp_path / "study.db"))
