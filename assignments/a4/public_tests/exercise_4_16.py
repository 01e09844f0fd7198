"""The visible checks of exercise 4.16: which word came from which."""

from functools import partial

import numpy as np

from grader.checking.question import question, refusal

READ = "exercise 4.16"
ask = partial(question, "4.16", read=READ)
# Two heads; three target tokens, of which the last is the end, and four source tokens.
WEIGHTS = np.array(
    [
        [[0.5, 0.1, 0.3, 0.1], [0.1, 0.5, 0.2, 0.2], [0.0, 0.0, 0.0, 1.0]],
        [[0.3, 0.3, 0.3, 0.1], [0.3, 0.3, 0.0, 0.4], [0.0, 0.2, 0.0, 0.8]],
    ]
)


@ask(advice="average the heads; −1 marks a token of no word")
def test_words_of_one_token(its):
    """One token per word: the mean over the heads, without the end token."""
    return its.word_weights(WEIGHTS, [0, 1, -1], [0, 1, 2, -1])


@ask(weight=2, advice="every row sums to 1; one word index per token")
def test_words_of_two_tokens(its):
    """Weights are summed over a source word's tokens and averaged over a target word's."""
    wrong = refusal(lambda: its.word_weights(WEIGHTS, [0, 1], [0, 1, 2, 3]))
    found = its.word_weights(WEIGHTS, [0, 0, 1], [0, 0, 1, 1])
    return {"weights between words": found, "with a list that is too short": wrong}


@ask(weight=2, advice="0.3 is half of 0.6; 0.2 is less than half of 0.7")
def test_links(its):
    """For each target word, source words with at least half of the largest weight."""
    weights = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.0, 0.0, 0.0]])
    pairs = its.make("lambda links: sorted([int(a), int(b)] for a, b in links)")
    return {"links (source word, target word)": pairs(its.alignment_links(weights))}


@ask(weight=2, advice="a tick and a label for every word; vmin=0, vmax=1")
def test_figure(its):
    """Target words on the y axis, source words on the x axis, colors from 0 to 1."""
    weights = np.array([[0.7, 0.2, 0.1], [0.0, 0.1, 0.4]])
    source, target = ["a", "red", "car"], ["une", "voiture"]
    figure = its.plot_alignment(weights, source, target).axes()
    return {
        "the image": figure["images"],
        "labels of x": figure["xticklabels"],
        "labels of y": figure["yticklabels"],
        "both axes have a name": bool(figure["xlabel"] and figure["ylabel"]),
        "the color limits": figure["colour_limits"][0],
        "words that do not fit": refusal(lambda: its.plot_alignment(weights, target, source)),
    }
