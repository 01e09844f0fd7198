"""Hidden tests of exercise 4.16: weights between words, links, and their figure."""

import numpy as np

from autograder.a3.answers import answered
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes
from grader.seam import Handle

MISTAKE = known_mistakes(__file__)

READ = "the docstring of 4.16"
SMALL = "__import__('matplotlib.figure').figure.Figure(figsize=(2, 2)).subplots()"
CLOSE = "__import__('matplotlib.pyplot').pyplot.close('all')"
PAIRS = "lambda links: sorted([int(source), int(target)] for source, target in links)"


def attention(rng, n_heads, n_target, n_source):
    """Attention weights of all heads; each target token's weights sum to 1."""
    drawn = rng.random((n_heads, n_target, n_source)) ** 3
    return (drawn / drawn.sum(axis=2, keepdims=True)).astype("float32")


def between_words(
    weights, target_words, source_words, *, heads=np.mean, target=np.mean, source=np.sum
):
    """Word weights; the options make mistakes on purpose. Tokens of no word are left out."""
    over = heads(np.asarray(weights, float), axis=0)
    rows, columns = (
        [[i for i, word in enumerate(words) if word == number] for number in range(max(words) + 1)]
        for words in (target_words, source_words)
    )
    return np.array([[target(source(over[np.ix_(r, c)], axis=1)) for c in columns] for r in rows])


def with_the_rest(weights, target_words, source_words):
    """Tokens of no word, −1, are counted as parts of the last one."""
    ends = [
        [max(words) if word < 0 else word for word in words]
        for words in (target_words, source_words)
    ]
    return between_words(weights, *ends)


def negative_index(weights, target_words, source_words):
    """The same, but divided by the real number of tokens: an index of −1 is the last word."""
    over = np.asarray(weights, float).mean(axis=0)
    found = np.zeros((max(target_words) + 1, max(source_words) + 1))
    for i, target in enumerate(target_words):
        for j, source in enumerate(source_words):
            found[target, source] += over[i, j]
    return found / np.bincount([w for w in target_words if w >= 0])[:, None]


def check_words(student, weights, target_words, source_words, what):
    called = answered(
        lambda: student.call(student.word_weights, weights, target_words, source_words),
        "a word index for every token, −1 for a token of no word",
        READ,
    )
    expect.unchanged(called.changed)
    args = (weights, target_words, source_words)
    right = between_words(*args)
    expect.close(
        called.value,
        right,
        atol=1e-5,
        otherwise="mean over heads, sum over a source word's tokens, mean over a target word's",
        read=READ,
        what=what,
    )


@exercise("4.16", weight=2)
def test_word_weights(student, rng):
    """Mean over heads and over a target word's tokens, sum over a source word's."""
    target, source = [0, 1, 1, 2, 2, 2], [0, 0, 1, 2, 2, 2, 3]
    for n_heads in (1, 4):
        weights = attention(rng, n_heads, len(target), len(source))
        check_words(student, weights, target, source, f"the weights of words, {n_heads} heads")
    alone = attention(rng, 2, 3, 4)
    check_words(student, alone, [0, 1, 2], [0, 1, 2, 3], "weights when each token is a word")


@exercise("4.16")
def test_tokens_of_no_word(student, rng):
    """Tokens of no word, such as start and end, are left out, wherever they are."""
    target, source = [0, 1, 1, 2, -1], [-1, 0, 1, 1, 2, -1]
    weights = attention(rng, 3, len(target), len(source))
    check_words(
        student, weights, target, source, "the weights of words, with some tokens of no word"
    )


@exercise("4.16", weight=0.5, beside=["test_word_weights", "test_tokens_of_no_word"])
def test_wrong_lengths(student, rng):
    """A list whose length differs from its axis raises a ValueError."""
    weights = attention(rng, 2, 4, 5)
    for target, source in (
        ([0, 1, 2], [0, 1, 2, 3, 4]),
        ([0, 1, 2, 3], [0, 1, 2, 3]),
        ([0, 1, 2, 3, 4], [0, 1, 2, 3]),
    ):
        expect.raises(
            lambda target=target, source=source: student.word_weights(weights, target, source),
            read=READ,
        )


def links(weights, share=0.5, axis=1):
    """Sorted pairs (source, target); `axis` is the one along which the maximum is taken."""
    best = weights.max(axis=axis, keepdims=True)
    targets, sources = np.nonzero((weights >= share * best) & (best > 0))
    return sorted(
        [int(source), int(target)] for source, target in zip(sources, targets, strict=True)
    )


def likely(weights, share):
    """The links that each likely mistake would find."""
    right = links(weights, share)
    best = weights.max(axis=1, keepdims=True)

    def where(condition):
        return sorted([int(source), int(target)] for target, source in np.argwhere(condition))

    return {
        MISTAKE.links_transposed: sorted([target, source] for source, target in right),
        MISTAKE.links_best_of_each_source: links(weights, share, axis=0),
        MISTAKE.links_best_alone: links(weights, 1.0),
        MISTAKE.links_share_of_one: where(weights >= share),
        "`share` is not used: it is always 0.5": links(weights),
        MISTAKE.links_more_than_share: where(weights > share * best),
        MISTAKE.links_of_nothing: where(weights >= share * best),
    }


def check_links(student, cases):
    """Run all (weights, share) before comparing any: together they distinguish mistakes."""
    found = []
    for weights, share in cases:
        options = {} if share is None else {"share": share}
        made = answered(
            lambda weights=weights, options=options: student.alignment_links(weights, **options),
            "a set of pairs of words",
            READ,
        )
        kind = made.type_name if isinstance(made, Handle) else type(made).__name__
        expect.true(
            kind == "set",
            expected="a set of pairs",
            got=kind,
            otherwise="`set(zip(…))` makes a set of pairs",
            read=READ,
        )
        pairs = answered(lambda made=made: student.make(PAIRS)(made), "pairs of two numbers", READ)
        found.append(pairs)
    asked = [(weights, 0.5 if share is None else share) for weights, share in cases]
    right = [links(*one) for one in asked]
    wrong = [likely(*one) for one in asked]
    shown = [name for name in wrong[0] if [one[name] for one in wrong] == found]
    n = next((n for n, pairs in enumerate(found) if pairs != right[n]), 0)
    expect.equal(
        found[n],
        right[n],
        because=shown[0] if shown else "",
        otherwise="source words with at least `share` of the row's largest weight",
        read=READ,
        what=f"the links (source, target), sorted, with share = {asked[n][1]}",
    )


@exercise("4.16")
def test_links(student, rng):
    """A target word is linked to all source words with at least `share` of its largest weight."""
    exact = np.array([[0.5, 0.25, 0.125], [0.125, 0.25, 0.5], [0.25, 0.0, 0.0]])
    cases = [(attention(rng, 1, 5, 7)[0], share) for share in (None, 0.3, 0.9)]
    check_links(student, [*cases, (exact, None), (exact, 1.0)])


@exercise("4.16", weight=0.5)
def test_links_of_nothing(student):
    """A target word without any weight has no link."""
    check_links(student, [(np.array([[0.0, 0.0], [0.25, 1.0], [0.0, 0.0]]), None)])


def drawn(student, weights, source, target, **options):
    """The Axes, read as data."""
    made = answered(
        lambda: student.plot_alignment(weights, source, target, **options),
        "weights are target words × source words",
        READ,
    )
    expect.true(
        isinstance(made, Handle),
        expected="a matplotlib Axes",
        got=type(made).__name__,
        otherwise="nothing is returned: end with `return ax`" if made is None else "`return ax`",
        read=READ,
    )
    return made.axes()


def image(shown):
    found = shown["images"]
    expect.true(
        len(found) == 1,
        expected="one image in the Axes",
        got=f"{len(found)}",
        otherwise="draw into `ax` if it is given, otherwise into a new figure",
        read=READ,
    )
    return found[0]


@exercise("4.16")
def test_figure(student, rng):
    """A row for each target word, a column for each source word, drawn into `ax`."""
    weights = attention(rng, 1, 3, 4)[0]
    axes = student.make(SMALL)
    returned = drawn(student, weights, list("abcd"), list("xyz"), ax=axes)
    elsewhere = bool(returned["images"]) and not axes.axes()["images"]
    expect.true(
        not elsewhere,
        expected="one image in the given Axes",
        got="an image in other Axes",
        read=READ,
    )
    expect.close(
        image(axes.axes()),
        weights,
        otherwise="show the weights unchanged",
        read=READ,
        what="the image",
    )
    for one in (weights, attention(rng, 1, 2, 4)[0]):
        shown = drawn(student, one, list("abcd"), list("xyz"[: len(one)]))
        expect.close(image(shown), one, read=READ, what="the image of one of two calls")
    student.make(CLOSE)


@exercise("4.16")
def test_labels_and_colours(student, rng):
    """Words label their rows and columns, colors range from 0 to 1, both axes have names."""
    source, target = ["the", "dog", "the", "cat"], ["le", "chien", "chat"]
    axes = student.make(SMALL)
    weights = attention(rng, 1, 3, 4)[0] / 2
    drawn(student, weights, source, target, ax=axes)
    shown = axes.axes()
    image(shown)
    for axis, words, others in (("x", source, target), ("y", target, source)):
        ticks = zip(shown[f"{axis}ticks"], shown[f"{axis}ticklabels"], strict=True)
        labeled = sorted((place, text.strip()) for place, text in ticks if text.strip())
        found = [text for _, text in labeled]
        places = [int(np.floor(place + 1e-6)) for place, _ in labeled]
        side = "source" if axis == "x" else "target"
        expect.true(
            found == words and places == list(range(len(words))),
            expected=f"positions 0 … {len(words) - 1} of {axis} labeled {', '.join(words)}",
            got=", ".join(f"{place:g}: {word}" for place, word in labeled) or "no labels",
            otherwise=f"set_{axis}ticks(range(n), labels={side}): words may repeat",
            read=READ,
        )
    expect.close(
        shown["colour_limits"][0],
        [0.0, 1.0],
        otherwise="vmin=0, vmax=1",
        read=READ,
        what="color limits",
    )
    x, y = shown["xlabel"].lower(), shown["ylabel"].lower()
    expect.true(
        bool(x and y),
        expected="a name for either axis",
        got=f"x: {shown['xlabel']!r}, y: {shown['ylabel']!r}",
        read=READ,
    )
    expect.true(
        not ("target" in x or "source" in y),
        expected="an x label for the source words and a y label for the target words",
        got=f"x: {shown['xlabel']!r}, y: {shown['ylabel']!r}",
        because="the names of the axes are swapped: source words are columns"
        if "target" in x and "source" in y
        else "",
        otherwise="ax.set(xlabel=…, ylabel=…)",
        read=READ,
    )


@exercise("4.16", weight=0.5, beside=["test_figure", "test_labels_and_colours"])
def test_wrong_words(student, rng):
    """Weights that do not fit the words raise a ValueError."""
    for shape in ((4, 3), (3, 3), (2, 4)):
        expect.raises(
            lambda shape=shape: student.plot_alignment(
                attention(rng, 1, *shape)[0], list("abcd"), list("xyz"), ax=student.make(SMALL)
            ),
            read=READ,
        )
