"""The training loop: what it computes, what it survives, and its errors."""

import ast
import math
from copy import deepcopy
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from checkout import ROOT
from small_training import (
    BATCHES,
    EPOCHS,
    Batch,
    Batches,
    Constant,
    Fixed,
    Interrupted,
    fitted,
    interrupt,
    parts,
    plain,
    same_weights,
    steps,
    table,
    train,
)
from torch import nn

from course_lib.fast.dropout import use_fast_dropout
from course_lib.recipes import classifier_profiles
from course_lib.recipes.profiles import fit_by, optimizer_and_schedule
from course_lib.training import log as training_log
from course_lib.training.classification_loss import classification_loss
from course_lib.training.classification_step import training_step
from course_lib.training.fit import DivergedError, NothingTrainsError
from course_lib.training.log import TrainingLog
from course_lib.training.long_trainings.first_steps import PATIENCE
from course_lib.training.long_trainings.machine import groups, shares, tokens
from course_lib.training.named_optimizers import OPTIMIZERS
from course_lib.training.plain import train as train_plainly
from course_lib.training.schedules import warmup_rate
from course_lib.training.weight_averages import WeightAverage

# What it computes.


def test_rows_of_steps_and_evaluations_stand_in_order():
    model, history, _ = train()
    assert [row["step"] for row in steps(history)] == list(range(1, EPOCHS * BATCHES + 1))
    wanted = {"step", "loss", "accuracy", "gradient_norm", "learning_rate"}
    assert all(set(row) == wanted for row in steps(history))
    looks = [row for row in history if "epoch" in row]
    assert [(row["step"], row["epoch"]) for row in looks] == [(7, 1), (14, 2), (21, 3)]
    assert history.index(looks[0]) == 7
    rates = [row["learning_rate"] for row in steps(history)]
    assert rates == pytest.approx([warmup_rate(n, 16, 400) for n in range(1, 22)])


def test_a_model_learns():
    model = parts(dropout=0.0)[0]
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    made = (model, optimizer, Constant(optimizer))
    history = fitted(made, Fixed(Batches()), {"epochs": 30}, step=training_step)
    accuracies = [row["accuracy"] for row in history]
    assert np.mean(accuracies[:7]) < 0.8
    assert np.mean(accuracies[-7:]) > 0.95


def test_accumulation_is_the_gradient_of_the_union_whatever_the_sizes():
    batches = list(Batches(3))
    union = Batch(*(torch.cat(column) for column in zip(*batches, strict=True)))
    results = []
    for given, accumulate in ((Fixed(batches), 3), (Fixed([union]), 1)):
        model = parts(dropout=0.0)[0]
        (row,) = plain(given, model, accumulate=accumulate)
        results.append((row, model.state_dict()))
    (accumulated, weights), (whole, wanted) = results
    assert accumulated == pytest.approx(whole, rel=1e-5)
    torch.testing.assert_close(weights, wanted, atol=1e-6, rtol=1e-5)


def test_gradients_are_clipped_after_their_norm_was_taken():
    model = parts(dropout=0.0)[0]
    before = deepcopy(model.state_dict())
    (row,) = plain(Batches(2), model, rate=1.0, max_norm=0.01, accumulate=2)
    moved = [value - before[name] for name, value in model.state_dict().items()]
    length = math.sqrt(sum(float((change**2).sum()) for change in moved))
    assert length == pytest.approx(0.01, rel=1e-3)
    assert row["gradient_norm"] > 0.1


def test_a_last_group_is_filled_with_the_first_batches():
    made = [("".join(group), last) for group, last in groups("abcde", 2)]
    assert made == [("ab", False), ("cd", False), ("ea", True)]
    assert list(groups("ab", 5)) == [(["a", "b", "a", "b", "a"], True)]
    assert [last for _, last in groups("abcd", 2)] == [False, True]
    with pytest.raises(ValueError, match="no batches"):
        next(groups([], 2))
    batches = list(Batches(2))
    assert shares(batches) == [4 / 11, 7 / 11]
    assert tokens(batches) == 11 * 6 - 4


def test_evaluations_and_hooks_come_when_asked():
    seen = []
    _, history, _ = train(after_step=lambda model, step: seen.append(step), evaluate_every=3)
    assert seen == list(range(1, 22))
    looks = [row["step"] for row in history if "epoch" in row]
    assert looks == [3, 6, 7, 9, 12, 14, 15, 18, 21]


@pytest.mark.parametrize("precision", ["auto", "bf16"])
def test_precision_is_chosen_anew_for_every_training(precision):
    results = {}
    for name in ("no", precision):
        model = parts(dropout=0.0)[0]
        results[name] = plain(Batches(), model, mixed_precision=name)
        assert all(p.dtype == torch.float32 for p in model.parameters())
        assert not {"forward", "_original_forward"} & set(vars(model))
    if precision == "auto" and not torch.cuda.is_available():
        assert results["auto"] == results["no"]
    else:
        assert results[precision] != results["no"]
        for row, wanted in zip(results[precision], results["no"], strict=True):
            assert row["loss"] == pytest.approx(wanted["loss"], abs=0.05)


@pytest.mark.parametrize("name", ["fp8", "float16", "half", "BF16", ""])
def test_another_precision_is_refused_with_those_that_there_are(name):
    with pytest.raises(ValueError, match="choose one of 'auto', 'no', 'bf16', 'fp16'$"):
        plain(Batches(1), parts()[0], mixed_precision=name)


@pytest.mark.parametrize("name", ["no", "bf16", "fp16"])
@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.bfloat16, torch.float16, torch.float8_e4m3fn, torch.float8_e5m2]
)
def test_weights_of_few_bits_are_trained_or_refused(name, dtype):
    model = parts(dropout=0.0)[0].to(dtype)
    if dtype.itemsize == 8 or (name, dtype) in {
        ("no", torch.float16),
        ("no", torch.bfloat16),
        ("bf16", torch.bfloat16),
    }:
        row = plain(Batches(1), model, mixed_precision=name)[0]
        wanted = plain(Batches(1), parts(dropout=0.0)[0])[0]
        assert row["loss"] == pytest.approx(wanted["loss"], abs=0.02)
        return
    message = f"{dtype}, which mixed_precision = '{name}' cannot train: call model.float()"
    with pytest.raises(ValueError, match=message) as told:
        plain(Batches(1), model, mixed_precision=name)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("by", ["loss", "step"])
def test_in_fp16_an_infinite_gradient_changes_nothing_until_the_scale_fits(by):
    def loss(model, token_ids, labels, label_smoothing):
        return model(token_ids)[0].sum() * 1e3, {}

    def step(model, token_ids, labels, optimizer, schedule, backward, clip, **settings):
        backward(model(token_ids)[0].sum() * 1e3)
        row = {"loss": 0.0, "gradient_norm": float(clip(model.parameters(), 1.0))}
        optimizer.step()
        optimizer.zero_grad()
        return row

    model = parts(dropout=0.0)[0]
    states = [model.output.bias.detach().clone()]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    history = fitted(
        (model, optimizer, Constant(optimizer)),
        Batches(20),
        {"epochs": 1, "mixed_precision": "fp16"},
        **{by: {"loss": loss, "step": step}[by]},
        after_step=lambda model, n: states.append(model.output.bias.detach().clone()),
    )
    moved = [not torch.equal(a, b) for a, b in pairwise(states)]
    assert moved == [math.isfinite(row["gradient_norm"]) for row in history]
    assert not moved[0]
    assert any(moved)


def test_the_plain_loop_and_a_step_of_your_own_do_what_fit_does():
    def scored(model):
        return {"validation_accuracy": float(model.output.bias.sum())}

    model, optimizer, schedule = parts()
    history = train_plainly(model, Batches(), training_step, optimizer, schedule, 2, scored)
    for how in ({"loss": classification_loss}, {"step": training_step}):
        same = parts()
        assert fitted(same, Batches(), {"epochs": 2}, evaluate=scored, **how) == history
        assert same_weights(same[0].state_dict(), model.state_dict())


def test_a_step_of_your_own_cannot_accumulate_and_something_has_to_train():
    with pytest.raises(ValueError, match="a step on 2 batches needs a count"):
        plain(Batches(), parts()[0], count=None, accumulate=2)
    assert plain(Batches(), parts()[0], count=None)
    with pytest.raises(ValueError, match="one batch: give `fit` a loss"):
        plain(Batches(), parts()[0], step=training_step, accumulate=2)
    with pytest.raises(ValueError, match="a loss, or a step of your own"):
        plain(Batches(), parts()[0], loss=None)


# When nothing trains.


def steps_of_mistakes():
    """Steps and losses that change nothing, each with its message."""

    def forward(model, token_ids, labels):
        return nn.functional.cross_entropy(model(token_ids)[0], labels)

    def no_backward(model, ids, labels, optimizer, schedule, **_):
        loss = forward(model, ids, labels)
        optimizer.step()
        return {"loss": loss.item()}

    def no_optimizer(model, ids, labels, optimizer, schedule, backward, clip, **_):
        loss = forward(model, ids, labels)
        backward(loss)
        return {"loss": loss.item(), "gradient_norm": float(clip(model.parameters(), 1.0))}

    def cleared(model, ids, labels, optimizer, schedule, backward, **_):
        loss = forward(model, ids, labels)
        backward(loss)
        optimizer.zero_grad()
        optimizer.step()
        return {"loss": loss.item()}

    def constant(model, ids, labels, label_smoothing):
        return 0.0 * forward(model, ids, labels) + 1.0, {}

    return {
        "never called backward": {"step": no_backward},
        "call optimizer.step": {"step": no_optimizer},
        "zero_grad": {"step": cleared},
        "every gradient is 0": {"loss": constant},
        "learning rate is 0": {"rate": 0.0},
    }


@pytest.mark.parametrize("number", [3, 30])
@pytest.mark.parametrize("told", steps_of_mistakes())
def test_a_training_that_changes_nothing_stops_and_says_why(told, number):
    message = f"no weight has changed in {min(number, PATIENCE)} steps: .*{told}"
    with pytest.raises(NothingTrainsError, match=message) as stopped:
        plain(Batches(number), parts()[0], **steps_of_mistakes()[told])
    assert "\n" not in str(stopped.value)


def test_an_optimizer_of_another_model_is_refused_before_the_first_step():
    (model, *_), (_, *others), batches = parts(), parts(), Batches()
    with pytest.raises(NothingTrainsError, match="no trainable parameter of this model"):
        fitted((model, *others), batches, loss=classification_loss)
    assert batches.drawn == 0


def test_a_part_that_was_replaced_after_the_optimizer_was_made_is_refused():
    model, *others = parts()
    model.embedding.tokens = nn.Embedding(50, model.embedding.tokens.embedding_dim)  # more tokens
    message = r"does not train embedding.tokens.weight \(1 of \d+ parameters\): create it after"
    with pytest.raises(NothingTrainsError, match=message) as told:
        fitted((model, *others), loss=classification_loss)
    assert "\n" not in str(told.value)


def test_trainings_that_begin_slowly_or_train_a_part_are_left_alone():
    model, optimizer, _ = parts()
    late = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: float(step > 8))
    assert fitted((model, optimizer, late), loss=classification_loss)
    frozen = parts()[0]
    for name, parameter in frozen.named_parameters():
        parameter.requires_grad_(name == "output.bias")
    assert plain(Batches(1), frozen)

    def own(model, token_ids, labels, optimizer, schedule, **_):  # one process, 32 bits
        loss = nn.functional.cross_entropy(model(token_ids)[0], labels)
        loss.backward()
        optimizer.step()
        return {"loss": loss.item()}

    assert len(plain(Batches(12), parts()[0], step=own)) == 12


def test_in_fp16_twenty_steps_without_effect_stop_the_training():
    """A gradient that is NaN at every step, though the loss is finite."""

    def loss(model, token_ids, labels, label_smoothing):
        value, measures = classification_loss(model, token_ids, labels)
        return value + (0.0 * model.output.bias.sum()).sqrt(), measures

    model = parts()[0]
    before = deepcopy(model.state_dict())
    with pytest.raises(DivergedError, match="step 20: .* in 20 steps in a row, all without effect"):
        plain(Batches(40), model, loss=loss, mixed_precision="fp16")
    assert same_weights(model.state_dict(), before)


# When it cannot go on, or need not.


def test_a_loss_that_is_no_number_stops_before_the_weights_are_lost():
    states = []

    def poison(model, step):
        if step == 3:
            model.output.bias.data[0] = math.nan
        states.append(deepcopy(model.state_dict()))

    message = r"step 4: loss nan, learning rate 0\.000125, gradient norm nan: .* lower learning"
    with pytest.raises(DivergedError, match=message) as told:
        train(after_step=poison)
    assert "\n" not in str(told.value)
    assert len(states) == 3


def test_weights_stay_as_they_were_before_the_step_that_diverged():
    model = parts()[0]
    model.output.bias.data[0] = math.inf
    before = deepcopy(model.state_dict())
    with pytest.raises(DivergedError, match="step 1: loss nan"):
        plain(Batches(), model)
    assert same_weights(model.state_dict(), before)


def test_an_infinite_gradient_and_a_step_that_does_not_clip_are_seen_too():
    def infinite(model, token_ids, labels, optimizer, schedule, backward, clip, **settings):
        backward(model(token_ids)[0].sum() * 1e30)
        norm = clip(model.parameters(), 1.0)
        return {"loss": 1.0, "gradient_norm": float(norm)}

    def careless(*arguments, **settings):
        return {"loss": math.inf}

    for step, message in ((infinite, "gradient norm inf"), (careless, "loss inf")):
        with pytest.raises(DivergedError, match=message):
            plain(Batches(), parts()[0], step=step)


def scripted(scores, patience):
    """Train with written-in validation accuracies; the model, its states at each, the history."""
    made, told, states = parts(), iter(scores), []

    def evaluate(model):
        assert not model.training
        assert not torch.is_grad_enabled()
        states.append(deepcopy(model.state_dict()))
        return {"validation_accuracy": next(told)}

    settings = {"epochs": len(scores), "patience": patience}
    history = fitted(made, None, settings, step=training_step, evaluate=evaluate)
    return made[0], states, history


def test_early_stopping_keeps_the_best_weights():
    model, states, history = scripted([0.5, 0.7, 0.6, 0.7, 0.9], patience=2)
    assert len(states) == 4
    assert same_weights(model.state_dict(), states[1])
    assert history[-1]["epoch"] == 4
    model, states, _ = scripted([0.7, 0.6, 0.5], patience=None)
    assert same_weights(model.state_dict(), states[2])


def test_early_stopping_needs_the_accuracy():
    how = {"step": training_step, "evaluate": lambda model: {"perplexity": 3.0}}
    with pytest.raises(ValueError, match="returned perplexity.*validation_accuracy"):
        fitted(parts(), None, {"patience": 1}, **how)


# Averaged weights.


def fail_with(average, wanted):
    with average.applied() as averaged:
        assert averaged.weight.item() == pytest.approx(wanted)
        raise Interrupted


@pytest.mark.parametrize(
    ("decay", "start", "wanted"),
    [
        (1.0, 0, (1 + 5 - 2 + 3 + 4) / 5),
        (1.0, 2, (-2 + 3 + 4) / 3),
        (1.0, 9, 4.0),
        (0.5, 0, (((1 + 5) / 2 / 2 - 2 / 2) / 2 + 3 / 2) / 2 + 4 / 2),
    ],
)
def test_the_average_is_a_mean_first_and_forgets_later(decay, start, wanted):
    model = nn.Linear(1, 1, bias=False)
    average = WeightAverage(model, decay, start)
    for value in (1.0, 5.0, -2.0, 3.0, 4.0):
        model.weight.data.fill_(value)
        average.update()
    assert float(average.weights["weight"]) == pytest.approx(wanted)
    with pytest.raises(Interrupted):
        fail_with(average, wanted)
    assert model.weight.item() == 4.0
    other = WeightAverage(nn.Linear(1, 1, bias=False))
    other.load_state_dict(average.state_dict())
    assert (other.updates, other.weights) == (5, average.weights)


def test_averaged_weights_are_the_ones_evaluated():
    model, *others = parts()
    average, seen = WeightAverage(model, 0.9), []
    how = {"evaluate": lambda model: seen.append(model.output.weight.detach().clone())}
    fitted((model, *others), None, {"epochs": 1}, step=training_step, average=average, **how)
    assert torch.equal(seen[0], average.weights["output.weight"])
    assert not torch.equal(seen[0], model.output.weight)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_has_its_name_and_trains_a_recipe(name):
    settings = replace(classifier_profiles.profile("tiny"), optimizer=name, weight_decay=0.0)
    model = parts()[0]
    fit_by(settings, model, Batches(2), classification_loss, lambda model: {}, False, None)
    with pytest.raises(ValueError, match="no optimizer 'lion': choose one of adam, adamw"):
        optimizer_and_schedule(model, replace(settings, optimizer="lion"), 1)
    with pytest.raises(ValueError, match="choose adamw, or 0"):
        OPTIMIZERS["adam"](model, 0.1, 0.1)


# What it shows and writes.


def test_the_bar_shows_loss_accuracy_speed_and_time_left(monkeypatch, capsys):
    monkeypatch.setattr(training_log, "_is_interactive", lambda: True)
    train(epochs=1)
    shown = capsys.readouterr().err
    for part in ("7/7", "loss 0.", "accuracy ", "%", "tokens/s", "<00:", "validation accuracy 0."):
        assert part in shown
    train(epochs=1, progress=False)
    assert capsys.readouterr().err == ""


def test_each_epoch_leaves_its_measures_and_three_sentences(monkeypatch, capsys):
    monkeypatch.setattr(training_log, "_is_interactive", lambda: True)
    train(epochs=2)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("epoch")]
    assert [line.partition(":")[0] for line in lines] == ["epoch 1, step 7", "epoch 2, step 14"]
    assert all("loss 0." in line and "validation accuracy 0." in line for line in lines)
    training_log.show_samples([*"abcd"], ["A", "B", 200 * "C", "D"], [*"wxyz"])
    said = capsys.readouterr().out.split()
    assert said == f"a now A goal w b now B goal x c now {90 * 'C'}… goal y".split()


@pytest.mark.parametrize("disabled", ["", "1"])
def test_the_bar_is_silent_where_nobody_looks(monkeypatch, capsys, disabled):
    monkeypatch.setenv("TQDM_DISABLE", disabled)
    monkeypatch.setattr(training_log, "_is_interactive", lambda: bool(disabled))
    train(epochs=1)
    training_log.show_samples(["a"], ["b"], ["c"])
    assert "".join(capsys.readouterr()) == ""


def test_tensorboard_and_tables_hold_every_step_once_after_an_interruption(tmp_path, monkeypatch):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.summary.writer import event_file_writer

    # It numbers the files of one second by what this process has written before, and reads ".10"
    # before ".9".
    monkeypatch.setattr(event_file_writer, "_global_uid", event_file_writer.AtomicCounter(0))
    with pytest.raises(Interrupted):
        train(tmp_path, after_step=interrupt(9))
    _, history, _ = train(tmp_path)
    board = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    losses = [(event.step, event.value) for event in board.Scalars("training/loss")]
    rows = table(tmp_path / "training.csv")
    assert [step for step, _ in losses] == [int(row["step"]) for row in rows] == list(range(1, 22))
    wanted = [row["loss"] for row in steps(history)]
    assert [value for _, value in losses] == pytest.approx(wanted)
    assert [float(row["loss"]) for row in rows] == wanted
    assert all(float(row["tokens_per_second"]) > 0 for row in rows)
    looks = table(tmp_path / "evaluation.csv")
    assert [row["epoch"] for row in looks] == ["1", "2", "3"]
    assert len(board.Scalars("evaluation/validation_accuracy")) == 3


def test_a_log_keeps_every_nth_row(tmp_path):
    with TrainingLog(tmp_path, every=3) as log:
        for step in range(1, 8):
            log.step({"step": step, "loss": 1.0}, tokens=10)
    assert [row["step"] for row in table(tmp_path / "training.csv")] == ["3", "6"]


# What it may be made of.


def test_the_loop_needs_no_component_that_an_exercise_asks_for(course):
    asked = {
        component.partition(":")[0]
        for assignment in course.assignments
        for exercise in assignment.exercises
        for component in exercise.components
    }
    waiting, reached = ["course_lib.training.fit", "course_lib.fast.dropout"], set()
    while waiting:
        name = waiting.pop()
        reached.add(name)
        path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = {
            ".".join([*name.split(".")[: -n.level], n.module])
            for n in ast.walk(tree)
            if isinstance(n, ast.ImportFrom) and n.level
        }
        waiting += found - reached
    assert len(reached) > 5
    assert not reached & asked


def test_fast_dropout_serves_any_model():
    model = use_fast_dropout(nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5)))
    assert [type(part).__name__ for part in model] == ["Linear", "FastDropout"]
