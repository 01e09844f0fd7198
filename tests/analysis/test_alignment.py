"""Word alignment from attention weights between tokens."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.analysis.attention_alignment import alignment_links, plot_alignment, word_weights
from grader.seam.axes import read

# Alignment.

WEIGHTS = np.array(
    [
        [[0.5, 0.1, 0.3, 0.1], [0.1, 0.5, 0.2, 0.2], [0.0, 0.0, 0.0, 1.0]],
        [[0.3, 0.3, 0.3, 0.1], [0.3, 0.3, 0.0, 0.4], [0.0, 0.2, 0.0, 0.8]],
    ]
)


def test_word_weights_by_hand():
    got = word_weights(WEIGHTS, [0, 0, 1], [0, 1, 1, -1])
    assert got == pytest.approx(np.array([[0.3, 0.5], [0.0, 0.1]]))


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=4),
    st.lists(st.integers(1, 3), min_size=1, max_size=4),
    st.integers(0, 99),
)
@settings(max_examples=40)
def test_word_weights_of_whole_sentences_sum_to_one(target_sizes, source_sizes, seed):
    target = np.repeat(range(len(target_sizes)), target_sizes).tolist()
    source = np.repeat(range(len(source_sizes)), source_sizes).tolist()
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(len(source)), size=(2, len(target)))
    got = word_weights(weights, target, source)
    assert got.shape == (len(target_sizes), len(source_sizes))
    assert got.sum(axis=1) == pytest.approx(1.0)


def test_a_token_of_no_word_takes_its_weight_with_it():
    got = word_weights(WEIGHTS, [0, 1, -1], [0, 1, 2, -1])
    assert got == pytest.approx(WEIGHTS.mean(0)[:2, :3])


@pytest.mark.parametrize(("target", "source"), [([0, 1], [0, 1, 2, 3]), ([0, 1, 2], [0, 1, 2])])
def test_words_that_do_not_fit_the_weights_are_refused(target, source):
    with pytest.raises(ValueError, match="weights for 3 and 4 tokens"):
        word_weights(WEIGHTS, target, source)


def test_links_by_hand():
    weights = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.0, 0.0, 0.0]])
    assert alignment_links(weights) == {(0, 0), (1, 0), (2, 1)}
    assert alignment_links(weights, share=1.0) == {(0, 0), (2, 1)}
    assert alignment_links(weights, share=0.1) == {(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)}


def test_every_target_word_is_linked_to_its_best():
    weights = np.random.default_rng(0).dirichlet(np.ones(5), size=6)
    for share in (0.2, 0.5, 1.0):
        links = alignment_links(weights, share)
        assert {(int(row.argmax()), t) for t, row in enumerate(weights)} <= links
        assert all(type(source) is int and type(target) is int for source, target in links)


def test_the_figure_shows_the_weights_between_the_words():
    weights = np.array([[0.7, 0.2, 0.1], [0.0, 0.1, 0.4]])
    _, own = plt.subplots()
    for ax in (None, own):
        shown = plot_alignment(weights, ["a", "red", "car"], ["une", "voiture"], ax)
        assert ax is None or shown is ax
        figure = read(shown)
        assert figure["images"][0] == pytest.approx(weights)
        assert figure["colour_limits"][0] == [0, 1]
        assert figure["xticklabels"] == ["a", "red", "car"]
        assert figure["yticklabels"] == ["une", "voiture"]
        assert (figure["xlabel"], figure["ylabel"]) == ("source word", "target word")
        assert figure["title"]
        assert figure["colorbar"]
    plt.close("all")


def test_a_figure_of_other_words_is_refused():
    with pytest.raises(ValueError, match=r"give shape \(3, 2\)"):
        plot_alignment(np.zeros((2, 3)), ["une", "voiture"], ["a", "red", "car"])
    assert not plt.get_fignums()
