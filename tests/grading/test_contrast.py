"""Contrast sentences say the opposite; the words that decide are found in the training split."""

import numpy as np

from autograder.scorers.contrast import cues, exchanged, opposite


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
