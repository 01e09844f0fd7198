"""A sample of sentences stands for all only where the rest could not change the points."""

import random

import numpy as np
import pytest

from autograder.scorers.accuracy import Accuracy
from autograder.scorers.bleu import Bleu
from autograder.scorers.contrast import cues, exchanged, opposite
from course_lib.evaluation.translation import bleu, bootstrap, paired_bootstrap
from grader.judge.models import thresholds
from grader.judge.models.scorer import HiddenLabels
from grader.judge.models.sequential_test import SequentialTest, margin_of

EXAMPLES = 1000


@pytest.fixture(scope="module")
def exercises(course):
    """Zero points at 10 BLEU, all at 50.9; those of the bonus at 60.1 and 61.2."""
    return [exercise for exercise in course.assignment("a4").exercises if exercise.kind == "model"]


def class_of(share, seed=0):
    """Hidden sentences, and translations of them with this share of wrong words."""
    rng = random.Random(seed)
    words = [f"mot{number}" for number in range(60)]
    texts = [" ".join(rng.choices(words, k=rng.randint(6, 16))) for _ in range(EXAMPLES)]
    made = [
        " ".join("faux" if rng.random() < share else word for word in text.split())
        for text in texts
    ]
    return HiddenLabels("mirror", tuple(texts), tuple(texts), "f" * 64), made


def stopped_after(made, hidden, exercises, seed):
    """How many answers were enough for a grading in this order, asked as the judge asks."""
    order = np.random.default_rng(seed).permutation(EXAMPLES)
    enough, answers = SequentialTest(Bleu(), exercises, order, hidden), []
    for count in (10, *range(100, EXAMPLES + 1, 100)):
        answers = [made[row] for row in order[:count]]
        if enough(answers):
            break
    return len(answers), order, enough.note


def shares(exercises, score):
    return [thresholds.share(exercise, score, EXAMPLES, Bleu()) for exercise in exercises]


@pytest.mark.parametrize("share", [0.02, 0.9])
def test_far_from_every_threshold_the_first_look_is_enough(exercises, share):
    hidden, made = class_of(share)
    count, _, note = stopped_after(made, hidden, exercises, seed=1)
    assert count == Bleu.first_look
    assert f"{count} of 1000 sentences, drawn at random, were translated: with 99.9 %" in note


def test_where_the_score_itself_counts_all_sentences_are_asked(exercises):
    hidden, made = class_of(0.5)
    assert 11 < bleu(made, hidden.labels).value < 24
    assert stopped_after(made, hidden, exercises, seed=1)[::2] == (EXAMPLES, "")


@pytest.mark.slow
def test_points_do_not_depend_on_which_sentences_were_drawn(exercises):
    """Translators just beside a threshold, each graded in several orders, and compared with all."""
    stopped = wrong = near = 0
    for share in (0.12, 0.18, 0.2, 0.22, 0.63, 0.7):
        hidden, made = class_of(share, seed=3)
        score = bleu(made, hidden.labels).value
        near += min(abs(score - edge) for edge in (10, 50.9, 60.1, 61.2)) < 2
        for seed in range(3):
            count, order, _ = stopped_after(made, hidden, exercises, seed)
            some = order[:count]
            sampled = bleu([made[row] for row in some], [hidden.labels[row] for row in some]).value
            stopped += count < EXAMPLES
            wrong += shares(exercises, sampled) != shares(exercises, score)
    assert near >= 2
    assert stopped >= 6
    assert wrong == 0


def test_without_exercises_and_on_small_splits_all_sentences_are_asked(exercises):
    hidden, made = class_of(0.02)
    assert stopped_after(made, hidden, [], seed=1)[0] == EXAMPLES
    order = np.arange(Bleu.first_look)
    assert not SequentialTest(Bleu(), exercises, order, hidden)(made[: len(order)])


def test_answers_without_a_mistake_do_not_promise_that_there_is_none():
    """If one in 15 of all answers is wrong, 100 of them are right in one of a thousand samples."""
    assert margin_of(0.0, 100, 10**9) == pytest.approx(100 / 15, rel=0.05)
    assert pytest.approx(0.001, rel=0.05) == (1 - 1 / 15) ** 100
    assert margin_of(0.0, 1000, 1000) == 0.0


def test_the_fewer_answers_the_more_standard_errors_are_taken():
    wide, narrow = (margin_of(5.0, count, 10**9) / 5.0 for count in (100, 10_000))
    assert wide > 4
    assert narrow == pytest.approx(3.29, abs=0.01)


def test_a_classifier_is_estimated_by_its_binomial_error():
    hidden = HiddenLabels("mirror", ("",) * 400, (1,) * 400, "f" * 64)
    answers = [1] * 320 + [0] * 80
    assert Accuracy().estimate(answers, range(400), hidden) == pytest.approx((80.0, 2.0))


def test_the_interval_is_that_of_a_comparison_with_empty_translations():
    hidden, made = class_of(0.2)
    made, references = made[:150], hidden.labels[:150]
    interval = np.quantile(bootstrap(made, references, 200), [0.025, 0.975])
    compared = paired_bootstrap(made, [""] * 150, references, 200)
    assert interval == pytest.approx(compared.interval, abs=1e-9)


# Contrast sentences say the opposite; the words that decide are found in the training split.


def drawn(seed=0):
    return np.random.default_rng(seed)


def examples(count=400):
    """Sentences of five plain words and one that decides; "odd" occurs with either label."""
    rng = drawn()
    labels = [int(label) for label in rng.integers(2, size=count)]
    texts = []
    for number, label in enumerate(labels):
        words = [*rng.choice([f"word{i}" for i in range(30)], 5), "fine" if label else "poor"]
        texts.append(" ".join([*rng.permutation(words), *(["odd"] if number % 3 == 0 else [])]))
    return texts, labels


def test_the_words_that_decide_are_found_and_no_others():
    found = cues(*examples())
    assert set(found) == {"fine", "poor"}
    assert found["fine"] > 1 > -1 > found["poor"]


def test_every_cue_is_replaced_by_one_for_the_other_label():
    known = {"fine": 1.0, "rich": 1.0, "poor": -1.0, "flat": -1.0}
    text = opposite("a fine film , rich and never flat .", 1, known, drawn())
    assert all(word in ("poor", "flat") for word in np.array(text.split())[[1, 4, 7]])
    assert text.split()[::2] == ["a", "film", text.split()[4], "never", "."]
    assert opposite("a flat film .", 0, known, drawn()).split()[1] in ("fine", "rich")


def test_a_sentence_without_a_cue_for_its_label_has_no_contrast():
    known = {"fine": 1.0, "poor": -1.0}
    assert opposite("a film .", 1, known, drawn()) == ""
    assert opposite("a poor film .", 1, known, drawn()) == ""
    assert opposite("", 1, known, drawn()) == ""


def test_a_third_of_a_sentence_is_exchanged_and_anew_each_time():
    words = [f"own{number}" for number in range(12)]
    made = {exchanged(" ".join(words), ["other", "an other"], drawn(seed)) for seed in range(9)}
    assert len(made) > 5
    for text in made:
        kept = [a == b for a, b in zip(text.split(), words, strict=True)]
        assert sum(kept) == 8
    assert exchanged("one", ["other"], drawn()) == "other"
    assert exchanged("", ["other"], drawn()) == ""
