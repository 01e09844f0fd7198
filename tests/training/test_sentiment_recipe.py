"""The recipe of the classifier: profiles, word dropout, training, and the folder handed in."""

import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.classifier import EncoderClassifier
from course_lib.data import datasets
from course_lib.data.batching import TokenBuckets
from course_lib.data.tokenization import TextTokenizer
from course_lib.data.word_dropout import WordDropout
from course_lib.recipes import classifier_profiles
from course_lib.recipes.classifier import train_classifier
from course_lib.recipes.profiles import linear_rate, optimizer_and_schedule, scale_words
from course_lib.training import saved_model
from grader.course.submission_folder import check_folder

pytestmark = pytest.mark.usefixtures("without_shape_checks")


def batches(rate, seed=0):
    sequences = [[2, *range(5, 5 + n)] for n in range(1, 40)]
    return WordDropout(TokenBuckets(sequences, [0] * 39, max_tokens=200), rate, seed)


def drawn(words, epoch):
    words.set_epoch(epoch)
    return [batch.token_ids for batch in words]


def test_word_dropout_drops_its_share_of_words_and_nothing_else():
    plain, dropped = drawn(batches(0.0), 1), drawn(batches(0.3), 1)
    words = torch.cat([ids[ids > 2] for ids in plain])
    lost = sum(int((ids == TextTokenizer.UNK).sum()) for ids in dropped)
    assert abs(lost / len(words) - 0.3) < 0.06
    for before, after in zip(plain, dropped, strict=True):
        kept = after != TextTokenizer.UNK
        assert torch.equal(before[kept], after[kept])
        assert (before[~kept] > 2).all()  # neither padding nor [CLS]


def test_word_dropout_depends_on_seed_and_epoch_alone():
    first, again = drawn(batches(0.5), 3), drawn(batches(0.5), 3)
    assert all(map(torch.equal, first, again))
    for other in (drawn(batches(0.5), 4), drawn(batches(0.5, seed=1), 3)):
        assert not all(
            a.shape == b.shape and torch.equal(a, b) for a, b in zip(first, other, strict=False)
        )


@pytest.mark.parametrize("rate", [-0.1, 1.0])
def test_word_dropout_refuses_what_is_no_share(rate):
    with pytest.raises(ValueError, match="less than 1"):
        batches(rate)


def test_every_profile_builds_its_model_and_the_rate_rises_and_falls():
    for name, settings in classifier_profiles.PROFILES.items():
        assert settings.name == name
        assert name in str(settings)
        model = EncoderClassifier(100, **settings.model.arguments)
        before = model.embedding.tokens.weight.detach().clone()
        scale_words(model, settings)
        torch.testing.assert_close(model.embedding.tokens.weight, settings.word_scale * before)
        optimizer, schedule = optimizer_and_schedule(model, settings, n_steps=50)
        rates = []
        for _ in range(50):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        assert max(rates) == pytest.approx(settings.learning_rate)
        assert rates.index(max(rates)) == round(50 * settings.warmup) - 1
        assert 0 < rates[-1] < 0.05 * max(rates)
    with pytest.raises(ValueError, match="choose one of tiny, cpu, colab"):
        classifier_profiles.profile("huge")


def test_the_tiny_profile_learns_the_made_up_sentences_and_is_handed_in(tmp_path, capsys):
    data = datasets.load("sst2", sources=["generated"])
    settings = classifier_profiles.profile("tiny")
    trained = train_classifier(data, settings, seed=0)
    assert trained.accuracy(data["test"][:]) > 85
    evaluations = [row for row in trained.history if "validation_accuracy" in row]
    assert len(evaluations) == settings.epochs
    assert trained.cpu_seconds > 0
    about = {"name": data.name, "source": data.source, "fingerprint": data.fingerprint("test")}
    made = trained.predict(data["test"][:]["sentence"])
    assert not check_folder(tmp_path, saved_model.CLASSIFIER)
    saved_model.save(tmp_path, trained.model, trained.arguments, trained.tokenizer, made, about)
    assert check_folder(tmp_path, saved_model.CLASSIFIER)
    assert "400 predictions" in capsys.readouterr().out
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert config == {"model": trained.arguments, "data": about}


def test_the_files_handed_in_are_those_that_the_syllabus_names(course):
    wanted = set(course.assignment("a3").model.files)
    assert {
        saved_model.WEIGHTS,
        saved_model.SETTINGS,
        saved_model.TOKENIZER,
        saved_model.PREDICTIONS,
    } == wanted


def test_the_linear_rate_of_written_in_steps():
    wanted = [1 / 2, 1, 1, 3 / 4, 2 / 4, 1 / 4, 0, 0]  # six steps, two of warm-up
    assert [linear_rate(step, 6, 2) for step in range(1, 9)] == pytest.approx(wanted)
    assert linear_rate(1, n_steps=1, warmup_steps=1) == 1


@given(st.integers(1, 300), st.data())
def test_the_linear_rate_rises_to_the_end_of_the_warm_up_and_falls_to_nothing(n_steps, data):
    warmup_steps = data.draw(st.integers(1, n_steps))
    rates = [linear_rate(step, n_steps, warmup_steps) for step in range(1, n_steps + 2)]
    assert rates[warmup_steps - 1] == max(rates) == 1
    assert rates[:warmup_steps] == sorted(rates[:warmup_steps])
    assert rates[warmup_steps:] == sorted(rates[warmup_steps:], reverse=True)
    assert min(rates[:-1]) > 0
    assert rates[-1] == 0
