"""Training runs that are killed, resumed, rejected, or split among processes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from checkout import ROOT
from small_training import (
    BATCHES,
    EPOCHS,
    Batches,
    Constant,
    Interrupted,
    fitted,
    interrupt,
    parts,
    same_weights,
    steps,
    table,
    train,
)
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

from course_lib.classifier import EncoderClassifier
from course_lib.families.language_model import LanguageModel
from course_lib.training.classification_loss import classification_loss
from course_lib.training.fit import CheckpointError, DivergedError
from course_lib.training.long_trainings import run as training_run
from course_lib.training.long_trainings.checkpoints import (
    Checkpoints,
    random_state,
    set_random_state,
)
from course_lib.training.long_trainings.identity import identity_of
from course_lib.training.schedules import WarmupSchedule, warmup_rate
from course_lib.transformer import Transformer

SCRIPT = Path(__file__).with_name("small_training.py")


def environment():
    return {**os.environ, "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""}


def test_killed_in_the_middle_of_an_epoch_it_ends_with_the_same_weights(tmp_path, capsys):
    command = [sys.executable, str(SCRIPT), str(tmp_path), "--kill-at", "12"]
    ended = subprocess.run(command, env=environment(), capture_output=True, timeout=600)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    logged = [int(row["step"]) for row in table(tmp_path / "loss" / "training.csv")]
    assert logged == list(range(1, 13))  # two steps more than the last checkpoint

    wanted, history, average = train(tmp_path / "whole")
    capsys.readouterr()
    again = []
    model, resumed, its_average = train(
        tmp_path / "loss", after_step=lambda model, step: again.append(step)
    )
    assert "resuming after step 10" in capsys.readouterr().out
    assert again == list(range(11, 22))
    assert resumed == history
    assert same_weights(model.state_dict(), wanted.state_dict())
    assert same_weights(its_average.weights, average.weights)
    for name in ("training", "evaluation"):
        rows = table(tmp_path / "loss" / f"{name}.csv")
        same = table(tmp_path / "whole" / f"{name}.csv")
        for row in rows + same:
            row.pop("tokens_per_second", None)
        assert rows == same


@pytest.mark.parametrize(
    ("every", "place", "found"), [(0.0, "runs", 11), (3600.0, "runs", 7), (0.0, "MyDrive/runs", 7)]
)
def test_an_interrupt_costs_no_more_than_some_seconds(
    tmp_path, capsys, monkeypatch, every, place, found
):
    wanted, history, _ = train()
    monkeypatch.setattr(training_run, "SAVE_EVERY", every)
    monkeypatch.setattr(training_run, "SAVE_PAUSE", 0.0)
    with pytest.raises(Interrupted):
        train(tmp_path / place, after_step=interrupt(12), checkpoint_every=None)
    model, resumed, _ = train(tmp_path / place, checkpoint_every=None)
    assert f"resuming after step {found}" in capsys.readouterr().out
    assert resumed == history
    assert same_weights(model.state_dict(), wanted.state_dict())


@pytest.mark.parametrize("at", [5, 8])
def test_resuming_right_after_an_epoch_or_in_it_with_accumulation(tmp_path, at):
    wanted, history, _ = train(accumulate=2)
    with pytest.raises(Interrupted):
        train(tmp_path, after_step=interrupt(at), accumulate=2)
    model, resumed, _ = train(tmp_path, accumulate=2)
    assert resumed == history
    assert same_weights(model.state_dict(), wanted.state_dict())


def test_a_finished_training_is_not_repeated_unless_asked(tmp_path, capsys):
    model, history, _ = train(tmp_path)
    again = Batches()
    same, read, _ = train(tmp_path, batches=again)
    assert "already finished at step 21" in capsys.readouterr().out
    assert again.drawn == 1  # the first batch, to compare
    assert read == history
    assert same_weights(same.state_dict(), model.state_dict())
    assert len(list(tmp_path.glob("checkpoint-*"))) == 1
    how = {"loss": classification_loss, "folder": tmp_path, "resume": False}
    history = fitted(parts(), Batches(2), {"epochs": 1, "patience": 9}, **how)
    assert [row["step"] for row in history] == [1, 2]


def test_a_checkpoint_that_was_being_written_does_not_count(tmp_path):
    with pytest.raises(Interrupted):
        train(tmp_path, after_step=interrupt(5))
    (place,) = tmp_path.glob("checkpoint-*")
    (tmp_path / "checkpoint-000099.unfinished").mkdir()
    assert json.loads((place / "progress.json").read_text(encoding="utf-8"))["step"] == 4
    wanted, _, _ = train()
    assert same_weights(train(tmp_path)[0].state_dict(), wanted.state_dict())
    assert [path.suffix for path in tmp_path.glob("checkpoint-*")] == [""]


@pytest.mark.parametrize("file", ["model.safetensors", "state.pt", "progress.json", "random-0.pt"])
def test_a_broken_checkpoint_is_refused_in_one_sentence(tmp_path, file):
    train(tmp_path, epochs=1)
    (place,) = tmp_path.glob("checkpoint-*")
    whole = (place / file).read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"not a checkpoint"):
        (place / file).write_bytes(content)
        with pytest.raises(CheckpointError, match="cannot be read.*delete it") as told:
            train(tmp_path, epochs=1)
        assert str(place) in str(told.value)
        assert "\n" not in str(told.value)
    (place / file).unlink()
    with pytest.raises(CheckpointError, match="cannot be read"):
        train(tmp_path, epochs=1)


def test_a_checkpoint_of_another_training_is_refused(tmp_path):
    train(tmp_path, epochs=1)
    with pytest.raises(CheckpointError, match="accumulate was 1 and is 2"):
        train(tmp_path, epochs=1, accumulate=2)
    with pytest.raises(CheckpointError, match="batches was 7 and is 3"):
        train(tmp_path, epochs=1, batches=Batches(3))
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(CheckpointError, match="model was 'EncoderClassifier' and is 'Linear'"):
        train(tmp_path, epochs=1, made=(model, optimizer, Constant(optimizer)))
    wider = EncoderClassifier(21, 2, n_layers=1, d_model=16, n_heads=2, d_ff=32)
    optimizer = torch.optim.Adam(wider.parameters(), lr=1.0)
    torch.manual_seed(0)
    with pytest.raises(CheckpointError, match="num_embeddings was 20 and is 21"):
        train(tmp_path, epochs=1, made=(wider, optimizer, WarmupSchedule(optimizer, 16, 400)))


def with_optimizer(kind, **settings):
    model, *_ = parts()
    optimizer = kind(model.parameters(), **settings)
    return model, optimizer, WarmupSchedule(optimizer, 16, warmup_steps=400)


def with_rate(factor, until=9):
    model, optimizer, _ = parts()

    def rate(step):
        return factor if step < until else 2 * factor

    return model, optimizer, LambdaLR(optimizer, rate)


OTHERS = {  # what is changed, what the message names
    "dropout": ({"dropout": 0.3}, "dropout.p was 0.1 and is 0.3"),
    "seed": ({"made": {"seed": 1}}, "seed was 0 and is 1"),
    "data": ({"batches": Batches(seed=1)}, "first batch was .* and is"),
    "rate": ({"made": {"rate": 0.5}}, r"optimizer.0.lr was 1.0 and is 0.5"),
    "warm-up": ({"made": {"warmup": 800}}, "schedule.warmup_steps was 400 and is 800"),
    "kind": (
        {"made": with_optimizer(torch.optim.AdamW, lr=1.0)},
        "optimizer was 'Adam' and is 'AdamW'",
    ),
    "betas": (
        {"made": with_optimizer(torch.optim.Adam, lr=1.0, betas=(0.9, 0.98))},
        r"betas was \[0.9, 0.999\] and is \[0.9, 0.98\]",
    ),
    "schedule": ({"made": with_rate(0.1)}, "schedule was 'WarmupSchedule' and is 'LambdaLR'"),
    "smoothing": ({"label_smoothing": 0.0}, "label_smoothing was 0.1 and is 0.0"),
}


def changed(made=None, **changes):
    """The arguments of `train` for a change; parts are made when they are needed."""
    return {"made": parts(**made) if isinstance(made, dict) else made, **changes}


@pytest.mark.parametrize("what", OTHERS)
def test_other_settings_are_refused_and_after_a_divergence_begin_anew(tmp_path, capsys, what):
    change, told = OTHERS[what]
    train(tmp_path, epochs=1)
    with pytest.raises(CheckpointError, match=f"of another training .*{told}") as refused:
        train(tmp_path, epochs=1, **changed(**change))
    assert "\n" not in str(refused.value)
    assert "delete it, or choose another folder" in str(refused.value)
    train(tmp_path, epochs=1)
    assert "already finished" in capsys.readouterr().out

    Checkpoints(tmp_path, {}, {}).diverged()
    _, history, _ = train(tmp_path, epochs=1, **changed(**change))
    assert "step" not in capsys.readouterr().out
    assert len(steps(history)) == BATCHES
    with pytest.raises(CheckpointError):
        train(tmp_path, epochs=1)


@pytest.mark.parametrize("one", [{"until": 9}, {"until": 8}, {"factor": 0.1}, {"factor": 0.2}])
def test_a_schedule_of_functions_is_known_by_their_numbers(one):
    def identity(factor=0.1, until=9):
        model, optimizer, schedule = with_rate(factor, until)
        return identity_of(model, Batches(), optimizer, schedule, None)

    same = one in ({"until": 9}, {"factor": 0.1})
    assert (identity(**one) == identity()) == same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            LanguageModel(9, 1, 8, 2, 8, positions="none"),
            LanguageModel(9, 1, 8, 2, 8, positions="rotary"),
        ),
        (Transformer(9, 1, 8, 2, 8), Transformer(9, 1, 8, 2, 8, norm_first=True)),
        (Transformer(9, 1, 8, 2, 8), Transformer(9, 1, 8, 2, 8, pad_id=3)),
        (Transformer(9, 1, 8, 2, 8), Transformer(9, 1, 8, 2, 8, position_scale=0.5)),
        (Transformer(9, 1, 8, 2, 8), Transformer(9, 1, 8, 4, 8)),
        (nn.Sequential(nn.Linear(2, 2), nn.ReLU()), nn.Sequential(nn.Linear(2, 2), nn.GELU())),
        (nn.LayerNorm(4, eps=1e-5), nn.LayerNorm(4, eps=1e-6)),
    ],
)
def test_models_of_equal_shapes_are_told_apart_by_their_settings(one, other):
    def identity(model):
        optimizer = torch.optim.Adam(model.parameters())
        return identity_of(model, Batches(), optimizer, Constant(optimizer), None)

    assert identity(one) != identity(other)
    assert identity(one) == identity(one)


def test_the_advice_after_a_divergence_works_when_it_is_followed(tmp_path, capsys):
    def poison(model, step):
        if step == 9:
            model.output.bias.data[0] = torch.nan

    with pytest.raises(DivergedError, match="try a lower learning rate or a longer warm-up"):
        train(tmp_path, after_step=poison)
    capsys.readouterr()
    with pytest.raises(DivergedError):  # repaired code continues
        train(tmp_path, after_step=poison)
    assert "resuming after step 8" in capsys.readouterr().out
    _, history, _ = train(tmp_path, made=parts(warmup=4000))
    rates = [row["learning_rate"] for row in steps(history)]
    assert rates == pytest.approx([warmup_rate(n, 16, 4000) for n in range(1, 22)])
    assert not (tmp_path / "diverged").exists()


def test_random_generators_go_on_where_they_were():
    import random

    def draw():
        return random.random(), random.gauss(0, 1), np.random.normal(), float(torch.rand(()))

    random.gauss(0, 1)
    np.random.normal()
    state = random_state()
    wanted = draw()
    draw()
    set_random_state(state)
    assert draw() == wanted


# Processes.


def test_two_processes_take_the_steps_of_one_with_twice_the_accumulation(tmp_path):
    model, history, _ = train(tmp_path / "one", dropout=0.0, accumulate=2)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command += [str(SCRIPT), str(tmp_path), "--dropout", "0", "--by", "loss", "step"]
    ended = subprocess.run(command, env=environment(), capture_output=True, timeout=600)
    assert ended.returncode == 0, ended.stderr.decode()[-2000:]
    assert len(history) == EPOCHS * 4 + EPOCHS
    for folder in (tmp_path / "loss", tmp_path / "step"):
        reports = [json.loads((folder / f"report-{rank}.json").read_text()) for rank in (0, 1)]
        assert reports[0]["history"] == reports[1]["history"]
        assert reports[0]["weights"] == reports[1]["weights"]
        for row, wanted in zip(reports[0]["history"], history, strict=True):
            assert row == pytest.approx(wanted, abs=1e-6)
        for name, value in model.state_dict().items():
            given = torch.tensor(reports[0]["weights"][name])
            torch.testing.assert_close(given, value, atol=1e-5, rtol=1e-4)
        assert len(table(folder / "training.csv")) == EPOCHS * 4
        (place,) = folder.glob("checkpoint-*")
        assert (place / "random-1.pt").exists()
