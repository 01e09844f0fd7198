"""The checklist distinguishes broken models, and reports nothing for a sound one."""

import json
from pathlib import Path
from unittest.mock import Mock

import in_process
import proofs
import pytest
import torch
from checkout import place

from bench.grader import debug as bench
from course_lib.classifier import EncoderClassifier
from course_lib.diagnosis import checklist, slopes, translator_checklist
from course_lib.diagnosis.broken_classifiers import FAULTS, broken_classifier
from course_lib.diagnosis.diagnose import diagnose
from course_lib.diagnosis.runs import runs
from course_lib.diagnosis.training import learning, rates
from course_lib.families.position_variants import with_positions
from course_lib.fast.dropout import use_fast_dropout
from course_lib.training.schedules import warmup_rate
from course_lib.transformer import Transformer
from course_lib.transformer_variants import VariantTransformer
from grader.authoring import results_file
from grader.authoring.proof import cases
from grader.course import mistakes, toml
from grader.library.components import Component
from grader.student import debug, program

pytestmark = pytest.mark.usefixtures("without_shape_checks")

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
    found = {fault: wrong(checks) for fault, checks in debug.of_known_faults(seed).items()}
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
    first = model.encoder.layers[0].feed_forward
    first.register_forward_hook(lambda part, given, output: output.detach())
    found = checklist.run(model, TOKENS, torch.tensor([0, 1]))
    assert wrong(found) == {"gradients"}


def test_a_schedule_whose_first_step_is_nothing():
    wrong_rate = lambda step, d_model, warmup: warmup_rate(max(step - 1, 1), d_model, warmup)  # noqa: E731
    assert rates.warm_up(warmup_rate).ok
    assert rates.warm_up(wrong_rate).ok is False
    assert rates.warm_up(lambda step, d_model, warmup: warmup_rate(step, 64, warmup)).ok is False


@pytest.mark.parametrize(
    ("assignment", "bug", "check"),
    [
        ("a3", "mean_over_padding", "pooling"),
        ("a3", "step_gradients_not_cleared", "training step"),
        ("a4", "targets_not_shifted", "shifted targets"),
        ("a4", "cached_step_position_0", "cache"),
    ],
)
def test_a_named_mistake_in_a_notebook_is_found(assignment, bug, check, tmp_path):
    assert wrong(debug.of_notebook(with_mistake(assignment, bug, tmp_path))) == {check}


def with_mistake(assignment, bug, folder):
    """A solved notebook with one named mistake."""
    mistake = mistakes.named(proofs.COURSE, f"{assignment}/{bug}")
    source = mistake.apply(Component.parse(mistake.component).source)
    notebook = proofs.notebook(assignment, "solution", {mistake.component: source})
    return place(folder / f"{assignment}.ipynb", notebook)


SAID = toml.loads(Path(__file__).with_name("debug_says.toml").read_text(encoding="utf-8"))


FIRST = {said[0]: name for name, said in reversed(SAID.items())}  # mistake of each check


@pytest.mark.parametrize(
    "bug",
    [
        pytest.param(bug, id=bug.name, marks=() if bug.name in FIRST.values() else pytest.mark.long)
        for bug in bench.of_models()
        if bug.name in SAID
    ],
)
def test_what_debug_says_of_a_mistake_is_about_it(bug):
    row = bench.judge(bug)
    check, words = SAID[bug.name]
    assert row.checks[0] == check
    assert words in row.says
    assert row.named
    assert row.false == ()


def test_every_sample_is_a_mistake():
    assert {bug.name for bug in bench.of_models()} >= set(SAID)


SENTENCES = torch.tensor([[5, 9, 7], [4, 6, 0]])


def test_a_model_that_only_fails_with_other_arguments_is_told_with_them():
    class OnlyMeans(EncoderClassifier):
        def forward(self, token_ids, need_weights=False):
            if self.pooling != "mean":
                raise KeyError("cls")
            return super().forward(token_ids, need_weights)

    (only,) = checklist.of_class(OnlyMeans, {})
    assert (only["name"], only["ok"]) == ("runs", False)
    assert "OnlyMeans" not in only["measured"]  # its parts have the course's names, it has not
    assert only["measured"].startswith("the model raises KeyError: 'cls' (with norm_first=True")


def test_what_works_is_never_accused_of_its_shapes():
    model = EncoderClassifier(20, **SIZES)  # whose attention takes masks of 0 and −∞
    for layer in model.encoder.layers:
        plain = layer.attention.forward
        layer.attention.forward = lambda q, k, v, mask, need, plain=plain: plain(
            q, k, v, mask == 0, need
        )
        layer.attention.register_forward_pre_hook(
            lambda part, given: (*given[:3], torch.where(given[3], 0.0, -torch.inf), given[4])
        )
    assert runs(model, SENTENCES).ok


def test_what_is_not_written_yet_is_raised():
    model = EncoderClassifier(20, **SIZES)
    model.encoder.layers[0].feed_forward.forward = Mock(side_effect=NotImplementedError("3.4"))
    with pytest.raises(NotImplementedError, match="3.4"):
        runs(model, SENTENCES)


@pytest.mark.slow
def test_every_mistake_is_named_and_none_falsely(tmp_path, monkeypatch):
    monkeypatch.setattr(results_file, "folder", lambda: tmp_path)
    found = bench.run(lambda line: None)
    assert found["named"]["mean"] >= 95
    assert found["accused_falsely"]["mean"] == 0
    assert max(found["seconds"]["values"]) < 20


def test_nothing_is_found_in_a_sound_translator(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a4.ipynb").write_bytes(proofs.notebook("a4", "solution"))
    checks = debug.of_notebook(Path("a4"))
    placed = {*bench.OF_A_PLACE, "other arguments"}
    assert {check.name for check in checks} <= placed | bench.ABOUT.keys()
    assert [str(check) for check in checks if not check.ok] == []
    assert {"cache", "training step", "two lengths", "score scale"} <= {c.name for c in checks}


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_translator_is_left_as_it_was(norm_first):
    torch.manual_seed(1)
    model = Transformer(20, n_layers=1, d_model=32, n_heads=4, d_ff=64, norm_first=norm_first)
    source = torch.tensor([[5, 9, 7, 3, 8, 2], [4, 6, 11, 10, 3, 2]])
    target = torch.tensor([[1, 9, 7, 3], [1, 6, 11, 12]])
    assert wrong(translator_checklist.run(model.train(), source, target)) == set()
    assert model.training


SIZES = {"n_layers": 2, "d_model": 32, "n_heads": 4, "d_ff": 64}
TOKENS = torch.tensor([[5, 9, 7, 3], [4, 6, 0, 0]])
PAIR = (
    torch.tensor([[5, 9, 7, 12, 8, 6], [4, 6, 11, 10, 13, 7]]),
    torch.tensor([[2, 9, 7, 3], [2, 6, 3, 0]]),
)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("scheme", ["sinusoidal", "learned", "relative", "rotary"])
def test_nothing_is_found_in_a_classifier_of_another_style(norm_first, pooling, scheme):
    torch.manual_seed(1)
    model = EncoderClassifier(20, **SIZES, norm_first=norm_first, pooling=pooling)
    model = use_fast_dropout(with_positions(model, scheme)) or model
    assert wrong(checklist.run(model, TOKENS, torch.tensor([0, 1]))) == set()


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize(
    "widths", [{}, {"d_k": 4}, {"d_k": 4, "d_v": 16}, {"learned_positions": 9}]
)
def test_nothing_is_found_in_a_translator_of_another_style(norm_first, widths):
    torch.manual_seed(1)
    model = VariantTransformer(20, **widths, **SIZES, norm_first=norm_first)
    assert wrong(translator_checklist.run(model, *PAIR)) == set()


@pytest.mark.slow
@pytest.mark.parametrize("id", ["a3", "a4"])
def test_nothing_is_found_in_any_right_variant(id, tmp_path):
    for variant in cases.variants(proofs.COURSE.assignment(id)):
        notebook = proofs.notebook(id, "solution", dict(variant.replace))
        path = place(tmp_path / f"{id}.ipynb", notebook)
        assert wrong(debug.of_notebook(path)) == set(), variant.name


def test_a_padding_row_that_stays_zero_is_no_cut_path():
    model = torch.nn.Embedding(5, 3, padding_idx=0)
    loss = lambda made: made(torch.tensor([0, 1, 2, 3, 4])).square().sum()  # noqa: E731
    assert slopes.gradients(model, loss).ok


def test_a_batch_that_cannot_be_learned_is_said():
    model = EncoderClassifier(20, **SIZES)
    still = lambda model, *given: {"loss": 1.0}  # noqa: E731
    found = learning.by_heart(model, still, (TOKENS, torch.tensor([0, 1])))
    assert found.ok is False
    assert "after two steps embedding.tokens.weight has not moved" in found.measured


def test_the_command_without_a_notebook_shows_known_faults():
    told = in_process.run(program.main, "debug", "--json")
    assert set(json.loads(told.stdout)) == set(FAULTS)
    assert told.returncode == 0


@pytest.mark.parametrize(
    ("assignment", "kind", "code", "told"),
    [
        ("a3", "solution", 0, "ok    warm-up"),
        ("a3", "starter", 2, "write exercises 3.1 to 3.7 first"),
        ("a1", "solution", 2, "looks like the notebook of assignment a1"),
    ],
)
def test_the_command_on_notebooks(assignment, kind, code, told, tmp_path):
    path = place(tmp_path / "a3.ipynb", proofs.notebook(assignment, kind))
    done = in_process.run(program.main, "debug", path)
    assert done.returncode == code
    assert told in (done.stderr if code else done.stdout)


# Faults, of which `diagnose` names one.


def sentences(seed):
    token_ids = torch.randint(1, 50, (3, 7), generator=torch.Generator().manual_seed(seed))
    if seed % 2:
        token_ids[1, 4:] = 0
    return token_ids


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("seed", range(4))
def test_every_fault_is_told_with_and_without_padding(fault, seed):
    model = broken_classifier(fault, seed).train(seed > 1)
    assert diagnose(model, sentences(seed)) == fault
    assert model.training == (seed > 1)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_our_own_encoder_is_healthy(norm_first, pooling):
    torch.manual_seed(0)
    model = EncoderClassifier(
        50, n_layers=2, d_model=16, n_heads=2, d_ff=16, norm_first=norm_first, pooling=pooling
    )
    assert diagnose(model, sentences(1)) == "healthy"


def test_a_patient_is_repeatable_and_does_not_tell_its_fault():
    state = torch.get_rng_state()
    first, second = broken_classifier("pads pooled", 5), broken_classifier("pads pooled", 5)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(first.eval()(sentences(1))[0], second.eval()(sentences(1))[0])
    assert "pooled" not in str(vars(first))
    with pytest.raises(ValueError, match="no fault is called 'tired'"):
        broken_classifier("tired", 0)
