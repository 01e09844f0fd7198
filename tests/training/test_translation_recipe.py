"""The recipe of the translator: losses, steps, profiles, the whole path on made-up pairs."""

import dataclasses
import json

import pytest
import torch
from small_translation import SMALL, TEST, pairs, trained
from torch import nn

from bench.trainings import translation
from course_lib.decoding.translator import Translator
from course_lib.evaluation.perplexity import perplexity
from course_lib.fast.forms import fast_model
from course_lib.fast.loss import ROWS, fast_label_smoothed_loss, projected_loss
from course_lib.recipes import translation as translation_recipe
from course_lib.recipes import translation_profiles
from course_lib.training.losses import label_smoothed_loss
from course_lib.training.optimizers import paper_optimizer
from course_lib.training.translation_loss import real_targets, translation_loss
from course_lib.training.translation_step import translation_step
from course_lib.training.update import step_of
from course_lib.transformer import Transformer
from grader.authoring import results_file

pytestmark = pytest.mark.xdist_group("a4")  # the small translator is trained once


def logits_and_targets(n=ROWS // 20 + 3):
    """More real targets than are taken at once, and padding between them."""
    torch.manual_seed(0)
    x = torch.randn(n, 30, 16, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(50, 16, dtype=torch.float64, requires_grad=True)
    targets = torch.randint(0, 50, (n, 30))
    targets[:, 20:] = 0
    return x, weight, targets


def gradients(loss, x, weight):
    value = loss * 3.0  # a factor from outside has to reach the gradients
    return [value, *torch.autograd.grad(value, (x, weight))]


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.6])
def test_fast_losses_have_the_value_and_the_gradients_of_the_readable_one(smoothing):
    x, weight, targets = logits_and_targets()
    readable = gradients(label_smoothed_loss(x @ weight.T, targets, smoothing), x, weight)
    fast = fast_label_smoothed_loss(x @ weight.T, targets, smoothing)
    projected, right = projected_loss(x, weight, targets, smoothing)
    for wanted, one, other in zip(
        readable, gradients(fast, x, weight), gradients(projected, x, weight), strict=True
    ):
        torch.testing.assert_close(one, wanted)
        torch.testing.assert_close(other, wanted)
    best = (x @ weight.T).argmax(dim=-1)
    assert right == ((best == targets) & (targets != 0)).sum()


def test_the_projected_loss_holds_against_finite_differences():
    x, weight, targets = logits_and_targets(2)
    part = (x[:, :3].detach().requires_grad_(), weight)
    assert torch.autograd.gradcheck(lambda x, w: projected_loss(x, w, targets[:, :3])[0], part)


def test_without_a_real_target_the_losses_are_zero():
    x, weight, targets = logits_and_targets(2)
    for loss in (
        fast_label_smoothed_loss(x @ weight.T, 0 * targets),
        projected_loss(x, weight, 0 * targets)[0],
    ):
        assert not any(tensor.any() for tensor in gradients(loss, x, weight))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_banned_token_costs_nothing_unless_labels_are_smoothed(smoothing):
    """Padding at −∞, as Marian and others ban it; torch's values."""
    logits, targets = torch.randn(2, 3, 7), torch.tensor([[1, 2, 3], [4, -100, -100]])
    logits[..., 0] = -torch.inf
    for pad_id in (-100, 9):
        found = label_smoothed_loss(logits, targets.where(targets > 0, pad_id), smoothing, pad_id)
        wanted = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), label_smoothing=smoothing, ignore_index=-100
        )
        torch.testing.assert_close(found, wanted)
        assert found.isfinite() == (smoothing == 0)


@pytest.mark.parametrize("pad_id", [0, 12])
def test_padding_is_the_models_own(pad_id):
    model = Transformer(20, 1, 16, 2, 32, dropout=0.0, pad_id=pad_id).eval()
    source_ids, target_ids = (ids.where(ids > 0, pad_id) for ids in pair_of_batches())
    wanted, _ = translation_loss(model, source_ids, target_ids, pad_id=pad_id)
    for one in (model, nn.DataParallel(model)):
        found, measures = translation_loss(one, source_ids, target_ids)
        torch.testing.assert_close(found, wanted)
        assert set(measures) == {"accuracy"}
    assert perplexity(model, [(source_ids, target_ids)]) == pytest.approx(
        perplexity(model, [(source_ids, target_ids)], pad_id=pad_id)
    )
    optimizer, schedule = paper_optimizer(model, d_model=16, warmup_steps=10)
    row = translation_step(model, source_ids, target_ids, optimizer, schedule)
    assert row["loss"] == pytest.approx(float(wanted), rel=1e-5)  # no dropout
    assert real_targets((source_ids, target_ids), pad_id) == 6


def pair_of_batches():
    source_ids = torch.tensor([[7, 8, 9, 10], [11, 12, 0, 0]])
    return source_ids, torch.tensor([[2, 13, 14, 15, 3], [2, 16, 3, 0, 0]])


def small_model(norm_first=False, fast=False):
    torch.manual_seed(1)
    settings = {"dropout": 0.0, "norm_first": norm_first}
    made = fast_model if fast else lambda kind, *sizes, **rest: kind(*sizes, **rest)
    return made(Transformer, 20, 1, 16, 2, 32, **settings)


def two_steps(step, model, inner):
    optimizer = torch.optim.SGD(inner.parameters(), lr=0.5)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 1 / (n + 1))
    rows = [step(model, *pair_of_batches(), optimizer, schedule) for _ in range(2)]
    return rows, [p.detach().clone() for p in inner.parameters()]


@pytest.mark.parametrize("norm_first", [False, True])
def test_both_steps_take_the_same_steps(norm_first):
    readable, fast = small_model(norm_first), small_model(norm_first, fast=True)
    rows, weights = two_steps(translation_step, readable, readable)
    fast_rows, fast_weights = two_steps(step_of(translation_loss), fast, fast)
    for row, fast_row in zip(rows, fast_rows, strict=True):
        assert fast_row == pytest.approx(row, abs=1e-5)
    torch.testing.assert_close(weights, fast_weights, atol=1e-5, rtol=0)
    assert [row["learning_rate"] for row in rows] == [0.5, 0.25]
    assert rows[1]["loss"] < rows[0]["loss"]


class Wrapped(nn.Module):
    """As a model is that several processes share: only to be called."""

    def __init__(self, inner):
        super().__init__()
        self.inner, self.calls = inner, 0

    def forward(self, source_ids, target_ids):
        self.calls += 1
        return self.inner(source_ids, target_ids)


def test_a_wrapped_model_is_called_and_not_opened():
    inner, plain = small_model(), small_model()
    wrapped = Wrapped(inner)
    rows, weights = two_steps(step_of(translation_loss), wrapped, inner)
    assert wrapped.calls == 2
    expected, expected_weights = two_steps(translation_step, plain, plain)
    assert rows == expected
    assert all(map(torch.equal, weights, expected_weights))


def test_every_profile_builds_a_model_or_says_which_there_are():
    for name, settings in translation_profiles.PROFILES.items():
        assert (settings.name, translation_profiles.profile(name)) == (name, settings)
        assert f"profile {name}: {settings.epochs} epochs" in str(settings)
        with torch.device("meta"):
            Transformer(settings.vocab_size, **settings.model.arguments)
    with pytest.raises(ValueError, match="choose one of tiny, grammar, cpu"):
        translation_profiles.profile("huge")


def test_the_recipe_learns_to_translate_sentences_it_never_saw():
    held_out = pairs()[TEST][:]
    made = trained().translator.translate(held_out["en"], width=1)
    assert sum(a == b for a, b in zip(made, held_out["fr"], strict=True)) >= 45
    samples = [row["sample_bleu"] for row in trained().history if "sample_bleu" in row]
    assert len(samples) == SMALL.epochs
    assert samples[-1] > 90 > samples[0]
    assert trained().tokens > 14 * 900 * 2 * 8  # words at least
    assert trained().cpu_seconds > 0 < trained().wall_seconds
    assert trained().translator.length_penalty == SMALL.length_penalty == 1.0


def test_the_same_seed_gives_the_same_model():
    short = dataclasses.replace(SMALL, epochs=1, train_limit=200)
    first, again, other = (
        translation_recipe.train_translator(pairs(), short, seed).model.state_dict()
        for seed in (3, 3, 4)
    )
    assert all(torch.equal(first[key], again[key]) for key in first)
    assert not all(torch.equal(first[key], other[key]) for key in first)


def test_bench_multi30k_keeps_results_and_model(monkeypatch, tmp_path):
    monkeypatch.setattr(results_file, "folder", lambda: tmp_path)
    monkeypatch.setattr(translation, "MODELS", tmp_path)
    monkeypatch.setattr(translation.datasets, "load", lambda name, sources: pairs())
    monkeypatch.setattr(translation, "profile", lambda name: SMALL)
    seeds = []
    monkeypatch.setattr(
        translation, "train_translator", lambda *given, **_: seeds.append(given[2]) or trained()
    )
    told = []
    measures = translation.run("small", [0], "trained", "tested", 1, False, told.append)
    results = [json.loads((tmp_path / f"{n}.json").read_text()) for n in ("trained", "tested")]
    assert results[0]["measures"] | results[1]["measures"] == measures
    assert {"validation_bleu", "cpu_minutes"} < set(results[0]["measures"])
    assert {"greedy_bleu", "beam5_bleu", "length_penalty"} < set(results[1]["measures"])
    assert "tok:13a" in results[0]["data"]["bleu"]
    assert len(told) == 1
    assert measures["greedy_bleu"]["values"][0] > 90
    again = Translator.load(tmp_path / "trained_0").translate(["The red cat sees the black dog."])
    assert again == ["Le chat rouge voit le chien noir."]

    more = translation.run("small", [0, 1], "trained", "tested", 1, True, told.append)
    assert seeds == [0, 1], "seed 0 was finished"
    assert [one["values"][0] for one in more.values()] == [
        one["values"][0] for one in measures.values()
    ]
    longer = dataclasses.replace(SMALL, epochs=SMALL.epochs + 1)
    monkeypatch.setattr(translation, "profile", lambda name: longer)
    translation.run("small", [0], "trained", None, 1, True, told.append)
    assert seeds == [0, 1, 0], "it was trained otherwise"
