"""A disconnect costs some seconds at most."""

import os
import sys

import pytest

from grader.course.problem import SetupError
from grader.student import notebook_home
from grader.student.kept_training import kept_training


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COURSE_RUNS", "runs")
    monkeypatch.setattr(sys.modules["__main__"], "In", ["the cell"], raising=False)
    return tmp_path


def train(settings="cpu", stop_in=None, kept=None):
    """Three epochs that `fit` checkpoints; returns the history. `stop_in` interrupts an epoch.

    `kept` is a list that gets the weights of the last two epochs.
    """
    import torch
    from small_training import Batches

    from course_lib.training.fit import TrainingConfig, fit
    from course_lib.training.weight_averages import EpochWeights

    class Interrupted(Batches):
        def set_epoch(self, epoch):
            if epoch == stop_in:
                raise KeyboardInterrupt
            super().set_epoch(epoch)

    def step(model, token_ids, labels, optimizer, schedule, *, backward, **_):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(token_ids.float()), labels)
        backward(loss)
        optimizer.step()
        schedule.step()
        return {"loss": loss.item()}

    torch.manual_seed(0)
    model = torch.nn.Linear(6, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
    with kept_training("3.10", settings) as folder:
        last = EpochWeights(folder, len(Batches()), most=2)
        history = fit(
            model,
            Interrupted(),
            step=step,
            optimizer=optimizer,
            schedule=schedule,
            folder=folder,
            after_step=last,
            config=TrainingConfig(3, progress=False),
        )
        if kept is not None:
            kept += last
        return history


def test_an_interrupted_training_goes_on_and_a_finished_one_does_not(here, capsys):
    whole = train()
    assert not (here / "runs").exists()
    with pytest.raises(KeyboardInterrupt):
        train(stop_in=2)
    capsys.readouterr()
    assert train() == whole
    assert "resuming after step 14" in capsys.readouterr().out
    assert not (here / "runs").exists()
    train()
    assert capsys.readouterr().out == ""


def interrupted(settings="cpu"):
    """The folder of a training that is interrupted."""
    return ended_by(KeyboardInterrupt(), settings)


def ended_by(error, settings="cpu"):
    """The folder of a training that ends with an exception."""
    try:
        with kept_training("3.10", settings) as folder:
            folder.mkdir(parents=True, exist_ok=True)
            raise error
    except type(error):
        return folder


def test_whatever_is_changed_is_trained_anew(here, monkeypatch):
    main = sys.modules["__main__"]
    first = interrupted()
    assert interrupted() == first
    assert interrupted("tiny") != first
    monkeypatch.setattr(main, "In", ["another cell"])
    assert interrupted() != first
    monkeypatch.setattr(main, "In", ["the cell"])
    found = {first}
    for body in ("x + 1", "x + 2", "x in {'a', 'b'}"):
        namespace = {}
        exec(f"def padding_mask(x):\n    return {body}\n", namespace)
        monkeypatch.setattr(main, "padding_mask", namespace["padding_mask"], raising=False)
        found.add(interrupted())
    assert len(found) == 4


def test_an_interrupt_is_one_sentence_that_says_how_to_continue(here):
    with pytest.raises(KeyboardInterrupt) as stopped:
        train(stop_in=1)
    (sentence,) = stopped.value._render_traceback_()
    assert sentence.startswith("The training was interrupted. Run this cell again to continue")
    assert stopped.value.__suppress_context__


def test_a_training_that_fails_leaves_nothing(here):
    assert not ended_by(ValueError("nan")).exists()
    assert interrupted().exists()


def test_google_drive_keeps_trainings_where_there_is_one(here, google_colab, monkeypatch):
    monkeypatch.setattr(notebook_home, "DRIVE", here / "drive")
    notebook_home.begin("a1", made_for="0", drive=True)
    assert os.environ["COURSE_RUNS"] == str(here / "drive" / "MyDrive" / "transformer-course")
    assert (here / "drive" / "MyDrive" / "transformer-course").is_dir()


def test_elsewhere_google_drive_is_one_sentence(here):
    with pytest.raises(SetupError, match="works on Colab only: write drive=False"):
        notebook_home.begin("a1", made_for="0", drive=True)
