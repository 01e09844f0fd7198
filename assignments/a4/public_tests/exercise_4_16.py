"""The visible checks of exercise 4.16: which word came from which."""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# Two heads; three target tokens, of which the last is the end, and four source tokens.
WEIGHTS = np.array([[[0.5, 0.1, 0.3, 0.1], [0.1, 0.5, 0.2, 0.2], [0.0, 0.0, 0.0, 1.0]],
                    [[0.3, 0.3, 0.3, 0.1], [0.3, 0.3, 0.0, 0.4], [0.0, 0.2, 0.0, 0.8]]])


@exercise("4.16")
def test_words_of_one_token(student):
    """One token per word: the mean over the heads, without the end token."""
    got = student.word_weights(WEIGHTS, [0, 1, -1], [0, 1, 2, -1])
    expect.shape(got, (2, 3), what="weights between two and three words", read="exercise 4.16",
                 otherwise="a row for each target word; −1 marks a token of no word")
    expect.close(
        got, WEIGHTS.mean(0)[:2, :3], atol=1e-6,
        otherwise="average the heads", read="exercise 4.16")


@exercise("4.16", weight=2)
def test_words_of_two_tokens(student):
    """Weights are summed over a source word's tokens and averaged over a target word's."""
    mean = WEIGHTS.mean(0)
    columns = np.stack([mean[:, 0] + mean[:, 1], mean[:, 2] + mean[:, 3]], axis=1)
    want = np.stack([(columns[0] + columns[1]) / 2, columns[2]])
    expect.close(
        student.word_weights(WEIGHTS, [0, 0, 1], [0, 0, 1, 1]), want,
        otherwise="every row sums to 1", read="exercise 4.16")
    expect.raises(lambda: student.word_weights(WEIGHTS, [0, 1], [0, 1, 2, 3]), read="exercise 4.16",
                  otherwise="one word index per token")


@exercise("4.16")
def test_links(student):
    """For each target word, source words with at least half of the largest weight."""
    weights = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.0, 0.0, 0.0]])
    got = student.call(student.make("lambda links: sorted([int(a), int(b)] for a, b in links)"),
                       student.call(student.alignment_links, weights).value).value
    want = [[0, 0], [1, 0], [2, 1]]
    causes = {"a link is (source word, target word)": sorted([b, a] for a, b in want),
              "0.3 is half of 0.6, so it has a link, too": [[0, 0], [2, 1]],
              "a word without any weight has no link": sorted([*want, [0, 2], [1, 2], [2, 2]])}
    expect.equal(got, want, what="the links", read="exercise 4.16",                 otherwise="0.3 is half of 0.6; 0.2 is less than half of 0.7")


@exercise("4.16")
def test_figure(student):
    """Target words on the y axis, source words on the x axis, colors from 0 to 1."""
    weights = np.array([[0.7, 0.2, 0.1], [0.0, 0.1, 0.4]])
    figure = student.plot_alignment(weights, ["a", "red", "car"], ["une", "voiture"]).axes()
    images = figure["images"]
    expect.true(len(images) == 1, expected="one heat map", got=f"{len(images)} images",
                read="exercise 4.16")
    expect.shape(images[0], (2, 3), what="the image", read="exercise 4.16",
                 otherwise="a row for each target word")
    expect.close(images[0], weights, read="exercise 4.16")
    for axis, words in (("x", ["a", "red", "car"]), ("y", ["une", "voiture"])):
        expect.equal(figure[f"{axis}ticklabels"], words, what=f"labels of the {axis} axis",
                     otherwise="a tick and a label for every word", read="exercise 4.16")
        expect.true(
            bool(figure[f"{axis}label"]), expected=f"a name for the {axis} axis", got="none",
            otherwise=f"ax.set_{axis}label(…)", read="exercise 4.16")
    expect.close(figure["colour_limits"][0], [0.0, 1.0], what="the color limits",
                 otherwise="the same color for the same weight in every figure: vmin, vmax",
                 read="exercise 4.16")
    expect.raises(lambda: student.plot_alignment(weights, ["une", "voiture"], ["a", "red", "car"]),
                  read="exercise 4.16",
                  otherwise="raise a ValueError if words and weights do not fit")
