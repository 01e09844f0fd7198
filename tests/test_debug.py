"""The checklist distinguishes broken models, and reports nothing for a sound one."""

import json
import sys

import proofs
import pytest
import torch

from autograder import bugs
from autograder.cli import main
from autograder.grading import debugging
from course_lib.classifier import EncoderClassifier
from course_lib.diagnosis import checklist
from course_lib.diagnosis import checks as model_checks
from course_lib.diagnosis.broken_classifiers import FAULTS
from course_lib.training.schedules import warmup_rate

TELLING = {  # fault → the check that names it
    "dropout in evaluation": "no dropout in eval()",
    "mask after softmax": "row sums",
    "pads attended": "no weight on padding",
    "pads pooled": "padding is ignored",
    "future hidden": "sees both sides",
    "no positions": "positions matter",
}


def wrong(checks):
    return {check.name for check in checks if check.ok is False}


@pytest.mark.parametrize("seed", range(4))
def test_known_faults_are_told_apart(seed):
    found = {fault: wrong(checks) for fault, checks in debugging.of_known_faults(seed).items()}
    assert found.pop("healthy") == set()
    assert found.keys() == TELLING.keys() == set(FAULTS) - {"healthy"}
    for fault, names in found.items():
        assert TELLING[fault] in names
    assert len({frozenset(names) for names in found.values()}) == len(found)


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_reference_is_sound_and_left_as_it_was(norm_first):
    torch.manual_seed(1)
    model = EncoderClassifier(
        20, n_layers=6, d_model=32, n_heads=4, d_ff=64, norm_first=norm_first
    ).train()
    token_ids = torch.tensor([[5, 9, 7, 3, 8, 2], [4, 6, 11, 0, 0, 0]])
    checks = checklist.run(model, token_ids, torch.tensor([0, 1]), rate=warmup_rate)
    assert wrong(checks) == set()
    assert all(check.ok for check in checks)
    assert model.training
    assert all(parameter.grad is None for parameter in model.parameters())


def test_a_sublayer_that_is_cut_off_shows_in_the_gradients():
    torch.manual_seed(1)
    model = EncoderClassifier(20, n_layers=2, d_model=32, n_heads=4, d_ff=64)
    first = model.encoder.layers[0]
    first.forward = lambda x, mask=None, need_weights=False: (
        x.detach(),
        first.attention(x, x, x, mask, True)[1].detach(),
    )
    token_ids = torch.tensor([[5, 9, 7, 3], [4, 6, 0, 0]])
    found = checklist.run(model, token_ids, torch.tensor([0, 1]))
    assert "gradient norms" in wrong(found)


def test_a_schedule_whose_first_step_is_nothing():
    wrong_rate = lambda step, d_model, warmup: warmup_rate(max(step - 1, 1), d_model, warmup)  # noqa: E731
    assert model_checks.warm_up(warmup_rate).ok
    assert model_checks.warm_up(wrong_rate).ok is False
    assert (
        model_checks.warm_up(lambda step, d_model, warmup: warmup_rate(step, 64, warmup)).ok
        is False
    )


@pytest.mark.xdist_group("a3")  # its warm process is started once
@pytest.mark.parametrize(
    ("bug", "check"),
    [
        ("embedding_positions_absent", "positions matter"),
        ("mask_inverted", "no weight on padding"),
        ("stack_last_norm_missing", "norm_first"),
        ("layer_norm_first_dropped", "norm_first"),
        ("mean_over_padding", "padding is ignored"),
    ],
)
def test_named_mistakes_in_a_notebook_are_found(bug, check, course, sandbox):
    from autograder.release.components import Component

    mistake = next(b for b in bugs.load("a3") if b.name == bug)
    source = mistake.apply(Component.parse(mistake.component).source)
    data = proofs.notebook("a3", "solution", {mistake.component: source})
    assert check in wrong(debugging.asked(data, course.assignment("a3"), sandbox("a3")))


def course_debug(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["course", "debug", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def test_the_command_without_a_notebook_shows_known_faults(monkeypatch, capsys):
    assert course_debug(monkeypatch, "--json") == 0
    assert set(json.loads(capsys.readouterr().out)) == set(FAULTS)


def test_the_command_on_notebooks(monkeypatch, capsys, tmp_path):
    path = tmp_path / "a3.ipynb"
    path.write_bytes(proofs.notebook("a3", "solution"))
    assert course_debug(monkeypatch, str(path)) == 0
    assert "ok    warm-up" in capsys.readouterr().out
    path.write_bytes(proofs.notebook("a3", "starter"))
    assert course_debug(monkeypatch, str(path)) == 2
    assert "write exercises 3.1 to 3.7 first" in capsys.readouterr().err
