"""The visible checks of exercise 4.16: which word came from which."""

from functools import partial

import numpy as np

from grader.checking.question import question, refusal

ask = partial(question, "4.16", read="exercise 4.16")
# Two heads; three target tokens, of which the last is the end, and four source tokens.
WEIGHTS = np.array(
    [
        [[0.5, 0.1, 0.3, 0.1], [0.1, 0.5, 0.2, 0.2], [0.0, 0.0, 0.0, 1.0]],
        [[0.3, 0.3, 0.3, 0.1], [0.3, 0.3, 0.0, 0.4], [0.0, 0.2, 0.0, 0.8]],
    ]
)


@ask(weight=3, advice="average the heads; every row sums to 1; −1 marks a token of no word")
def test_words_of_two_tokens(its):
    """Mean of the heads; a source word's tokens are summed, a target word's averaged."""
    return {
        "words of one token": its.word_weights(WEIGHTS, [0, 1, -1], [0, 1, 2, -1]),
        "words of two": its.word_weights(WEIGHTS, [0, 0, 1], [0, 0, 1, 1]),
        "a word in two pieces": its.word_weights(WEIGHTS, [0, 1, 0], [0, 1, 2, 3]),
        "a list too short": refusal(lambda: its.word_weights(WEIGHTS, [0, 1], [0, 1, 2, 3])),
    }


@ask(weight=2, advice="0.3 is half of 0.6; 0.2 is less than half of 0.7")
def test_links(its):
    """For each target word, source words with at least half of the largest weight."""
    weights = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.0, 0.0, 0.0]])
    pairs = its.make("lambda links: sorted([int(a), int(b)] for a, b in links)")
    return {
        "links (source word, target word)": pairs(its.alignment_links(weights)),
        "links with share=0.1": pairs(its.alignment_links(weights, share=0.1)),
    }


@ask(weight=2, advice="a tick and a label for every word; vmin=0, vmax=1")
def test_figure(its):
    """Target words on the y axis, source words on the x axis, colors from 0 to 1."""
    weights, source, target = np.array([[0.7, 0.2, 0.1], [0.0, 0.1, 0.4]]), [*"abc"], [*"xy"]
    figure = its.plot_alignment(weights, source, target).axes()
    given = its.make("__import__('matplotlib.figure').figure.Figure().subplots()")
    its.plot_alignment(weights, source, target, ax=given)
    return {
        "the image": figure["images"],
        "the image in a given `ax`": given.axes()["images"],
        "a color bar": figure["colorbar"],
        "labels of x": figure["xticklabels"],
        "labels of y": figure["yticklabels"],
        "both axes have a name": bool(figure["xlabel"] and figure["ylabel"]),
        "the color limits": figure["colour_limits"][0],
        "words that do not fit": refusal(lambda: its.plot_alignment(weights, target, source)),
    }
