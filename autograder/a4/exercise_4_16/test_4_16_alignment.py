"""Hidden tests of exercise 4.16: weights between words, links, and their figure."""

from functools import partial

import numpy as np

from grader.checking.question import question, refusal

ask = partial(question, "4.16", read="the docstring of 4.16")
SUMS = "mean over heads, sum over a source word's tokens, mean over a target word's; −1: left out"
SHARE = "source words with at least `share` of the row's largest weight"
SMALL = "__import__('matplotlib.figure').figure.Figure(figsize=(2, 2)).subplots()"
CLOSE = "__import__('matplotlib.pyplot').pyplot.close('all')"
PAIRS = "lambda links: sorted([int(source), int(target)] for source, target in links)"


def attention(rng, n_heads, n_target, n_source):
    """Attention weights of all heads; each target token's weights sum to 1."""
    drawn = rng.random((n_heads, n_target, n_source)) ** 3
    return (drawn / drawn.sum(axis=2, keepdims=True)).astype("float32")


@ask(weight=3, advice=SUMS)
def test_word_weights(its, rng):
    """Words of one to three tokens, also of pieces that are apart; tokens of no word; one head."""
    return {
        f"weights for target_words={target}, source_words={source}": its.word_weights(
            attention(rng, heads, len(target), len(source)), target, source
        )
        for heads, target, source in (
            (3, [0, 0, 1, 2, 2, 2], [0, 1, 1, 2, 3]),
            (2, [0, 1, 2], [0, 0, 1, 1]),
            (1, [0, 1, 0], [1, 0, 1]),
            (3, [0, 1, 1, 2, -1], [-1, 0, 1, 1, 2, -1]),
        )
    }


@ask(weight=3, advice=SHARE)
def test_links(its, rng):
    """A target word is linked to all source words with at least `share` of its largest weight."""
    exact = np.array([[0.5, 0.25, 0.125], [0.125, 0.25, 0.5], [0.25, 0.0, 0.0], [0.0, 0.0, 0.0]])
    answer, pairs = {}, its.make(PAIRS)
    for name, weights in (("drawn", attention(rng, 1, 5, 7)[0]), ("exact", exact)):
        for options in ({}, {"share": 0.3}, {"share": 0.9}, {"share": 1.0}, {"share": 0.2}):
            found = its.alignment_links(weights, **options)
            answer[f"the type for {options}"] = getattr(found, "type_name", type(found).__name__)
            answer[f"(source, target) of {name} weights, {options or 'share'}"] = pairs(found)
    return answer


@ask(weight=4, advice="draw the weights unchanged, into `ax` if given; label every word")
def test_figure(its, rng):
    """Target words are rows, source words columns, both labeled; colors range from 0 to 1."""
    axes, source, target = its.make(SMALL), "the dog the cat".split(), "le chien chat".split()
    returned = its.plot_alignment(attention(rng, 1, 3, 4)[0] / 2, source, target, ax=axes)
    shown = axes.axes()
    answer = {
        "it returns an Axes": "Axes" in getattr(returned, "type_name", ""),
        "the images in the given Axes": shown["images"],
        "color limits": shown["colour_limits"],
        "a color bar": shown["colorbar"],
    }
    for axis, other in (("x", "target"), ("y", "source")):
        ticks = zip(shown[f"{axis}ticks"], shown[f"{axis}ticklabels"], strict=True)
        answer[f"places and labels of {axis}"] = sorted(
            [int(np.floor(place + 1e-6)), text.strip()] for place, text in ticks if text.strip()
        )
        name = shown[f"{axis}label"].lower()
        answer[f"{axis} has a name, and not that of {other} words"] = name and other not in name
    for n in (3, 2):  # each in a figure of its own
        drawn = its.plot_alignment(attention(rng, 1, n, 4)[0], source, target[:n])
        answer[f"the images of {n} target words without `ax`"] = drawn.axes()["images"]
    its.make(CLOSE)
    return answer


@ask(
    weight=0.5,
    needs_one_of=["test_word_weights", "test_figure"],
    advice="compare shapes",
    corner=True,
)
def test_wrong_lengths(its, rng):
    """Lists of words whose lengths differ from the axes of the weights raise a ValueError."""

    def refused(n, m):
        weights, target, source = attention(rng, 2, 4, 5), list(range(n)), list(range(m))
        what, names = f"lists of {n} and {m} for 4 × 5", ("abcdef"[:m], "uvwxyz"[:n])
        return {
            f"{what} tokens": refusal(lambda: its.word_weights(weights, target, source)),
            f"{what} words": refusal(lambda: its.plot_alignment(weights[0], *map(list, names))),
        }

    return refused(3, 5) | refused(4, 4) | refused(5, 4)
