"""Hidden tests of exercise 4.16: weights between words, links, and their figure."""

from functools import partial

import numpy as np

from grader.checking.question import question, refusal
from grader.seam import Handle

READ = "the docstring of 4.16"
ask = partial(question, "4.16", read=READ)
SUMS = "mean over heads, sum over a source word's tokens, mean over a target word's"
SHARE = "source words with at least `share` of the row's largest weight"
SMALL = "__import__('matplotlib.figure').figure.Figure(figsize=(2, 2)).subplots()"
CLOSE = "__import__('matplotlib.pyplot').pyplot.close('all')"
PAIRS = "lambda links: sorted([int(source), int(target)] for source, target in links)"


def attention(rng, n_heads, n_target, n_source):
    """Attention weights of all heads; each target token's weights sum to 1."""
    drawn = rng.random((n_heads, n_target, n_source)) ** 3
    return (drawn / drawn.sum(axis=2, keepdims=True)).astype("float32")


@ask(weight=2, advice=SUMS)
def test_word_weights(its, rng):
    """Words of one to three tokens, also with pieces that are apart, and one head."""
    answer = {}
    for heads, target, source in (
        (3, [0, 0, 1, 2, 2, 2], [0, 1, 1, 2, 3]),
        (2, [0, 1, 2], [0, 0, 1, 1]),
        (1, [0, 1, 0], [1, 0, 1]),
    ):
        weights = attention(rng, heads, len(target), len(source))
        called = its.call(its.word_weights, weights, target, source)
        what = f"target_words={target}, source_words={source}"
        answer |= {f"weights for {what}": called.value, f"changed for {what}": called.changed}
    return answer


@ask(advice="leave out tokens whose word is −1")
def test_tokens_of_no_word(its, rng):
    """Tokens of no word, such as start and end, are left out, wherever they are."""
    target, source = [0, 1, 1, 2, -1], [-1, 0, 1, 1, 2, -1]
    return its.word_weights(attention(rng, 3, len(target), len(source)), target, source)


@ask(weight=0.5, beside=["test_word_weights", "test_tokens_of_no_word"], advice="compare lengths")
def test_wrong_lengths(its, rng):
    """A list whose length differs from its axis raises a ValueError."""
    weights = attention(rng, 2, 4, 5)
    return {
        f"lists of {n} and {m} for 4 × 5 tokens": refusal(
            lambda n=n, m=m: its.word_weights(weights, list(range(n)), list(range(m)))
        )
        for n, m in ((3, 5), (4, 4), (5, 4))
    }


def links(its, cases):
    """The links, sorted, for all (weights, options)."""
    answer = {}
    for number, (weights, options) in enumerate(cases):
        found, what = (
            its.alignment_links(weights, **options),
            f"case {number}, {options or 'share'}",
        )
        answer[f"the type for {what}"] = getattr(found, "type_name", type(found).__name__)
        answer[f"the links (source, target) for {what}"] = its.make(PAIRS)(found)
    return answer


@ask(weight=3, advice=SHARE)
def test_links(its, rng):
    """A target word is linked to all source words with at least `share` of its largest weight."""
    exact = np.array([[0.5, 0.25, 0.125], [0.125, 0.25, 0.5], [0.25, 0.0, 0.0]])
    drawn = [(attention(rng, 1, 5, 7)[0], o) for o in ({}, {"share": 0.3}, {"share": 0.9})]
    return links(its, [*drawn, (exact, {}), (exact, {"share": 1.0}), (exact, {"share": 0.2})])


@ask(weight=0.5, advice="the largest weight of the row must be above 0")
def test_links_of_nothing(its):
    """A target word without any weight has no link."""
    return links(its, [(np.array([[0.0, 0.0], [0.25, 1.0], [0.0, 0.0]]), {})])


@ask(weight=3, advice="draw the weights unchanged, into `ax` if it is given")
def test_figure(its, rng):
    """A row for each target word, a column for each source word, drawn into `ax`."""
    weights, axes = attention(rng, 1, 3, 4)[0], its.make(SMALL)
    returned = its.plot_alignment(weights, list("abcd"), list("xyz"), ax=axes)
    answer = {
        "it returns an Axes": isinstance(returned, Handle) and "Axes" in returned.type_name,
        "the images in the given Axes": axes.axes()["images"],
    }
    for n in (3, 2):  # each in a figure of its own
        drawn = its.plot_alignment(attention(rng, 1, n, 4)[0], list("abcd"), list("xyz"[:n]))
        answer[f"the images of {n} target words without `ax`"] = drawn.axes()["images"]
    its.make(CLOSE)
    return answer


@ask(weight=1.5, advice="set_xticks(range(n), labels=…): words may repeat")
def test_labels_and_colours(its, rng):
    """Words label their rows and columns, colors range from 0 to 1, both axes have names."""
    axes = its.make(SMALL)
    source, target = ["the", "dog", "the", "cat"], ["le", "chien", "chat"]
    its.plot_alignment(attention(rng, 1, 3, 4)[0] / 2, source, target, ax=axes)
    shown, answer = axes.axes(), {}
    for axis, other in (("x", "target"), ("y", "source")):
        ticks = zip(shown[f"{axis}ticks"], shown[f"{axis}ticklabels"], strict=True)
        answer[f"places and labels of {axis}"] = sorted(
            [str(int(np.floor(place + 1e-6))), text.strip()]
            for place, text in ticks
            if text.strip()
        )
        answer[f"{axis} has a name, and it is not that of the {other} words"] = bool(
            shown[f"{axis}label"] and other not in shown[f"{axis}label"].lower()
        )
    return answer | {"color limits": shown["colour_limits"][0], "a color bar": shown["colorbar"]}


@ask(weight=0.5, beside=["test_figure", "test_labels_and_colours"], advice="compare the shape")
def test_wrong_words(its, rng):
    """Weights that do not fit the words raise a ValueError."""
    axes = its.make(SMALL)
    return {
        f"weights of shape {shape} for 3 target and 4 source words": refusal(
            lambda shape=shape: its.plot_alignment(
                attention(rng, 1, *shape)[0], list("abcd"), list("xyz"), ax=axes
            )
        )
        for shape in ((4, 3), (3, 3), (2, 4))
    }
