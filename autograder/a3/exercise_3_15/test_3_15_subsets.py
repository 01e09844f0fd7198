"""Hidden tests of exercise 3.15: nested, stratified subsets of the data."""

import numpy as np

from autograder.a3.answers import answered
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "the docstring of 3.15"


def subsets_of(student, labels, fractions, seed=0):
    """The subsets as index arrays, checked for valid indices without duplicates."""
    made = answered(
        lambda: student.nested_subsets(
            labels, fractions, student.make(f"np.random.default_rng({seed})")
        ),
        "draw from `rng`, an np.random.Generator",
        READ,
    )
    subsets = [np.asarray(one) for one in expect.parts(made, len(fractions), read=READ)]
    for fraction, own in zip(fractions, subsets, strict=True):
        plain = own.ndim == 1 and np.issubdtype(own.dtype, np.integer)
        expect.true(
            plain and len(set(own.tolist())) == len(own) and set(own) <= set(range(len(labels))),
            expected="different indices of the examples",
            got=f"{own[:8]} for fraction {fraction}",
            otherwise="integer indices, each at most once: draw without replacement",
            read=READ,
        )
    return subsets


def draw(rng, counts):
    return rng.permutation(np.repeat(np.arange(len(counts)), counts))


@exercise("3.15", weight=2)
def test_classes_keep_their_share(student, rng):
    """Every subset has each class's share, rounded, and at least one example of it."""
    labels = draw(rng, [10, 80, 31])
    several = [
        np.bincount(labels[subsets_of(student, labels, [0.27], seed)[0]], minlength=3).tolist()
        for seed in range(5)
    ]
    expect.true(
        all(counts == several[0] for counts in several),
        expected="the same number of examples of each class with every generator",
        got=", ".join(map(str, several)),
        read=READ,
    )
    for given in (labels, labels.tolist()):
        for fraction, wanted in [(0.1, [1, 8, 3]), (0.02, [1, 2, 1]), (0.5, [5, 40, 16]),
                                 (0.27, [3, 22, 8])]:  # fmt: skip
            (own,) = subsets_of(student, given, [fraction])
            if fraction == 0.5:
                own = own[(labels[own] != 2)]
                wanted = [5, 40, 0]  # 15.5 may be rounded either way
            counts = np.bincount(labels[own], minlength=3)
            expect.close(
                counts,
                wanted,
                otherwise="the rounded share of each class, and at least one example",
                read=READ,
                what=f"examples of each class for fraction {fraction}",
            )


@exercise("3.15", weight=2)
def test_nested(student, rng):
    """Smaller subsets are contained in larger ones, in any order of the fractions."""
    labels = draw(rng, [60, 140])
    for fractions in ([0.1, 0.25, 0.5, 1.0], [0.5, 0.05, 1.0, 0.2]):
        subsets = subsets_of(student, labels, fractions)
        sizes = [len(own) for own in subsets]
        wanted = [sum(round(fraction * count) for count in (60, 140)) for fraction in fractions]
        expect.equal(
            sizes,
            wanted,
            otherwise="one subset per fraction, in the order given",
            read=READ,
            what="the sizes",
        )
        ordered = sorted(subsets, key=len)
        for smaller, larger in zip(ordered, ordered[1:], strict=False):
            outside = sorted(set(smaller.tolist()) - set(larger.tolist()))
            expect.true(
                not outside,
                expected=f"all {len(smaller)} examples among the {len(larger)} of the next subset",
                got=f"{len(outside)} of them are not",
                read=READ,
            )


@exercise("3.15")
def test_sorted_and_whole(student, rng):
    """Indices are sorted; fraction 1 is the whole data set, whatever its labels are."""
    labels = 1 + 3 * draw(rng, [13, 27])
    small, whole = subsets_of(student, labels, [0.4, 1])
    expect.equal(
        small.tolist(),
        sorted(small.tolist()),
        read=READ,
        what="the indices for fraction 0.4",
    )
    expect.equal(
        whole.tolist(),
        list(range(40)),
        read=READ,
        what="the subset for fraction 1 with the labels 1 and 4",
    )


@exercise("3.15")
def test_generator_decides(student, rng):
    """The generator alone decides which examples are drawn, not their order in the data."""
    labels = draw(rng, [50, 50])
    one, again, other = (subsets_of(student, labels, [0.3], seed)[0].tolist() for seed in (5, 5, 6))
    expect.equal(
        again,
        one,
        because="the draw depends on something other than `rng`: the global generator?",
        read=READ,
        what="a second draw with an equal generator",
    )
    first = sorted(int(i) for of in (0, 1) for i in np.flatnonzero(labels == of)[:15])
    # two correct draws agree once in C(50, 15)², about 5e24
    expect.true(
        one != other,
        expected="a different subset from a different generator",
        got="the same one",
        read=READ,
    )


@exercise(
    "3.15",
    weight=0.5,
    beside=["test_classes_keep_their_share", "test_nested", "test_sorted_and_whole"],
)
def test_fractions(student):
    """A fraction of 0 or less, or above 1, raises a ValueError."""
    for fraction in (0.0, -0.2, 1.5):
        expect.raises(
            lambda fraction=fraction: student.nested_subsets(
                [0, 1, 0, 1], [0.5, fraction], student.make("np.random.default_rng(0)")
            ),
            otherwise="raise a ValueError for a fraction outside (0, 1]",
            read=READ,
        )
