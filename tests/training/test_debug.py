"""The checklist distinguishes broken models, and reports nothing for a sound one."""

import json
from pathlib import Path

import proofs
import pytest
import torch

from course_lib import attention
from course_lib.classifier import EncoderClassifier
from course_lib.diagnosis import checklist, translator_checklist
from course_lib.diagnosis import checks as model_checks
from course_lib.diagnosis import scales as model_scales
from course_lib.diagnosis.broken_classifiers import FAULTS, broken_classifier
from course_lib.diagnosis.diagnose import diagnose
from course_lib.training.schedules import warmup_rate
from course_lib.transformer import Transformer
from grader.course import mistakes
from grader.library.components import Component
from grader.student import debug, program

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


@pytest.mark.parametrize(
    ("bug", "check"),
    [
        ("embedding_positions_absent", "positions matter"),
        ("mask_inverted", "no weight on padding"),
        ("stack_last_norm_missing", "norm_first"),
        ("layer_norm_first_dropped", "norm_first"),
        ("mean_over_padding", "padding is ignored"),
        ("positions_in_halves", "sinusoids"),
        ("positions_sin_and_cos_swapped", "sinusoids"),
        ("positions_base_1000", "sinusoids"),
        ("positions_counted_from_one", "sinusoids"),
        ("embedding_not_scaled", "embedding scale"),
        ("embedding_positions_scaled", "embedding scale"),
    ],
)
def test_named_mistakes_in_a_notebook_are_found(bug, check, tmp_path):
    assert check in wrong(debug.of_notebook(with_mistake("a3", bug, tmp_path)))


def with_mistake(assignment, bug, folder):
    """A solved notebook with one named mistake."""
    mistake = mistakes.named(proofs.COURSE, f"{assignment}/{bug}")
    source = mistake.apply(Component.parse(mistake.component).source)
    path = folder / f"{assignment}.ipynb"
    path.write_bytes(proofs.notebook(assignment, "solution", {mistake.component: source}))
    return path


@pytest.mark.parametrize(
    ("bug", "checks"),
    [
        ("targets_not_shifted", {"shifted targets", "teacher forcing"}),
        ("translation_reads_what_is_wanted", {"teacher forcing"}),
        ("causal_leak_by_one", {"no look-ahead"}),
        ("transformer_source_mask_lost", {"source padding ignored"}),
        ("transformer_source_padding_read", {"source padding ignored"}),
        ("layer_cross_values_from_x", {"two lengths"}),
        ("layer_memory_not_read", {"two lengths", "reads the source"}),
        ("layer_self_attention_reads_memory", {"reads the prefix"}),
        ("transformer_untied_output", {"shared matrix"}),
        ("loss_counts_padding", {"padding not in the loss"}),
        ("decoder_last_norm_missing", {"norm_first"}),
        ("step_softmax", {"search step"}),
        ("cached_step_position_0", {"cache"}),
    ],
)
def test_named_mistakes_of_a_translator_are_found(bug, checks, tmp_path):
    assert checks <= wrong(debug.of_notebook(with_mistake("a4", bug, tmp_path)))


def test_nothing_is_found_in_a_sound_translator(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a4.ipynb").write_bytes(proofs.notebook("a4", "solution"))
    checks = debug.of_notebook(Path("a4"))
    assert [str(check) for check in checks if not check.ok] == []
    assert {"cache", "teacher forcing", "two lengths", "score scale"} <= {c.name for c in checks}


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_translator_is_left_as_it_was(norm_first):
    torch.manual_seed(1)
    model = Transformer(20, n_layers=1, d_model=32, n_heads=4, d_ff=64, norm_first=norm_first)
    source = torch.tensor([[5, 9, 7, 3, 8, 2], [4, 6, 11, 10, 3, 2]])
    target = torch.tensor([[1, 9, 7, 3], [1, 6, 11, 12]])
    assert wrong(translator_checklist.run(model.train(), source, target)) == set()
    assert model.training


@pytest.mark.parametrize(
    ("bug", "told"),
    [
        ("attention_not_scaled", "not divided by √d_k"),
        ("multi_head_scaled_by_root_d_model", "divided by √d_model"),
    ],
)
def test_wrongly_scaled_scores_are_measured(bug, told):
    """With an attention of one's own from assignment 2, in the classifier."""
    mistake = mistakes.named(proofs.COURSE, f"a2/{bug}")
    namespace = dict(vars(attention))
    for name in ("attention", "MultiHeadAttention"):
        component = f"course_lib.attention:{name}"
        source = Component.parse(component).source
        exec(mistake.apply(source) if mistake.component == component else source, namespace)
    torch.manual_seed(1)
    model = EncoderClassifier(20, n_layers=2, d_model=32, n_heads=4, d_ff=64).eval()
    assert model_scales.score_scale(model).ok
    model.encoder.layers[1].attention = namespace["MultiHeadAttention"](32, 4).eval()
    found = model_scales.score_scale(model)
    assert found.ok is False
    assert told in found.advice


def student_debug(*arguments):
    with pytest.raises(SystemExit) as ended:
        program.main(["debug", *map(str, arguments)])
    return ended.value.code


def test_the_command_without_a_notebook_shows_known_faults(capsys):
    assert student_debug("--json") == 0
    assert set(json.loads(capsys.readouterr().out)) == set(FAULTS)


def test_the_command_on_notebooks(capsys, tmp_path):
    path = tmp_path / "a3.ipynb"
    path.write_bytes(proofs.notebook("a3", "solution"))
    assert student_debug(path) == 0
    assert "ok    warm-up" in capsys.readouterr().out
    path.write_bytes(proofs.notebook("a3", "starter"))
    assert student_debug(path) == 2
    assert "write exercises 3.1 to 3.7 first" in capsys.readouterr().err
    path.write_bytes(proofs.notebook("a1", "solution"))
    assert student_debug(path) == 2
    assert "looks like the notebook of assignment a1" in capsys.readouterr().err


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
