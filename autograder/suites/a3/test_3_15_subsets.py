"""Hidden tests of exercise 3.15: subsets of the data that can be compared."""

import numpy as np

from autograder.suites.a3.answers import answered
from course_lib.checking import expect
from course_lib.checking.exercise import exercise

READ = "the docstring of 3.15"


def asked(student, labels, fractions, seed=0):
    """The subsets as index arrays that name different examples."""
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
            otherwise="each example at most once, as an integer: draw without replacement",
            read=READ,
        )
    return subsets


def draw(rng, counts):
    return rng.permutation(np.repeat(np.arange(len(counts)), counts))


@exercise("3.15", weight=2)
def test_classes_keep_their_share(student, rng):
    """In every subset each class has its share, rounded, and at least one example."""
    labels = draw(rng, [10, 80, 31])
    several = [
        np.bincount(labels[asked(student, labels, [0.27], seed)[0]], minlength=3).tolist()
        for seed in range(5)
    ]
    expect.true(
        all(counts == several[0] for counts in several),
        expected="as many examples of each class, whatever the generator",
        got=", ".join(map(str, several)),
        because="the subset is not stratified: draw from each class by itself",
        read=READ,
    )
    for given in (labels, labels.tolist()):
        for fraction, wanted in [(0.1, [1, 8, 3]), (0.02, [1, 2, 1]), (0.5, [5, 40, 16]),
                                 (0.27, [3, 22, 8])]:  # fmt: skip
            (own,) = asked(student, given, [fraction])
            if fraction == 0.5:
                own = own[(labels[own] != 2)]
                wanted = [5, 40, 0]  # 15.5 may be rounded either way
            counts = np.bincount(labels[own], minlength=3)
            expect.close(
                counts,
                wanted,
                causes={
                    "rounded down: 0.27 · 80 is 21.6, so 22": np.floor(
                        fraction * np.array([10, 80, 31])
                    ),
                    "a rare class has vanished: at least one example of each": np.round(
                        fraction * np.array([10, 80, 31]) - 1e-9
                    ),
                },
                otherwise="of each class its share, rounded, and at least one",
                read=READ,
                what=f"examples of each class for fraction {fraction}",
            )


@exercise("3.15", weight=2)
def test_nested(student, rng):
    """A smaller subset lies inside each larger one, whatever the order of the fractions."""
    labels = draw(rng, [60, 140])
    for fractions in ([0.1, 0.25, 0.5, 1.0], [0.5, 0.05, 1.0, 0.2]):
        subsets = asked(student, labels, fractions)
        sizes = [len(own) for own in subsets]
        wanted = [sum(round(fraction * count) for count in (60, 140)) for fraction in fractions]
        expect.equal(
            sizes,
            wanted,
            causes={"sorted by their size: return them in the order given": sorted(wanted)},
            otherwise="one subset a fraction, in the order given",
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
                because="the subsets are not nested: shuffle once, then take the first of each "
                "class",
                read=READ,
            )


@exercise("3.15")
def test_sorted_and_whole(student, rng):
    """Indices are sorted; fraction 1 is everything."""
    labels = draw(rng, [13, 27])
    small, whole = asked(student, labels, [0.4, 1])
    expect.equal(
        small.tolist(),
        sorted(small.tolist()),
        because="the indices are not sorted: sort those of all classes together",
        read=READ,
        what="the indices for fraction 0.4",
    )
    expect.equal(whole.tolist(), list(range(40)), read=READ, what="the subset for fraction 1")


@exercise("3.15")
def test_generator_decides(student, rng):
    """The same generator gives the same subsets, another one others; none takes the first ones."""
    labels = draw(rng, [50, 50])
    one, again, other = (asked(student, labels, [0.3], seed)[0].tolist() for seed in (5, 5, 6))
    expect.equal(
        again,
        one,
        because="something else than `rng` decides: the global generator?",
        read=READ,
        what="a second draw with an equal generator",
    )
    first = sorted(int(i) for of in (0, 1) for i in np.flatnonzero(labels == of)[:15])
    # two honest draws agree once in C(50, 15)², about 5e24
    expect.true(
        one != other,
        expected="another subset from another generator",
        got="the same one",
        because="the first examples are taken: those of a file are no random ones"
        if one == first
        else "`rng` decides nothing: another generator is made inside",
        read=READ,
    )


@exercise("3.15", weight=0.5)
def test_fractions(student):
    """A fraction of 0, below it or above 1 raises a ValueError."""
    for fraction in (0.0, -0.2, 1.5):
        expect.raises(
            lambda fraction=fraction: student.nested_subsets(
                [0, 1, 0, 1], [0.5, fraction], student.make("np.random.default_rng(0)")
            ),
            because=f"fraction {fraction} is not refused: it has to be above 0 and at most 1",
            otherwise="a ValueError for a fraction outside of (0, 1]",
            read=READ,
        )
