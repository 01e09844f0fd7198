"""Hidden tests of exercise 5.1: one factor at a time, and configurations drawn at random."""

import numpy as np

from autograder.a5.exercise_5_1.designs import (
    DEFAULT,
    FACTORS,
    READ,
    configurations,
    cumulative,
    every_combination,
    key,
    right_design,
)
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


@exercise("5.1", weight=2)
def test_one_at_a_time(student, rng):
    """The default first, then every configuration that differs from it in one factor."""
    for default in (DEFAULT, {**DEFAULT, "width": 32, "rate": 0.5}):
        right = right_design(default, FACTORS)
        with_copies = [dict(default)] + [
            {**default, factor: level} for factor, levels in FACTORS.items() for level in levels
        ]
        keys = list(FACTORS)
        backwards = {factor: FACTORS[factor] for factor in reversed(keys)}
        by_default = {name: FACTORS[name] for name in default if name in FACTORS}
        sorted_levels = {factor: sorted(levels) for factor, levels in FACTORS.items()}
        bare = [{name: one[name] for name in FACTORS} for one in right]
        expect.equal(
            configurations(student.one_at_a_time(default, FACTORS)),
            right,
            otherwise="[the default], then for each factor {**default, factor: level} for each "
            "other level",
            what="the design",
            read=READ,
        )


@exercise("5.1", beside=["test_one_at_a_time"])
def test_new_dictionaries(student, rng):
    """Every configuration is a dictionary of its own, and none is the given default."""
    student.one_at_a_time(DEFAULT, FACTORS)
    source = "[id(one) for one in [given, *student['one_at_a_time'](given, factors)]]"
    made = student.make(source, given=DEFAULT, factors=FACTORS).get()
    own = made[0] not in made[1:]
    expect.true(
        own and len(set(made)) == len(made),
        expected="a new dictionary for every configuration",
        got="the same dictionary twice" if own else "the given default itself, not a copy",
        because="" if own else MISTAKE.design_default_itself,
        otherwise="make each configuration with {**default, factor: level} or dict(…)",
        read=READ,
    )


@exercise("5.1", beside=["test_one_at_a_time"])
def test_default_outside_the_levels(student, rng):
    """A default whose level is not among its factor's is an error."""
    for level in (48, None):
        expect.raises(
            lambda level=level: student.one_at_a_time({**DEFAULT, "width": level}, FACTORS),
            otherwise="raise ValueError when default[factor] is not in factors[factor]",
            read=READ,
        )


@exercise("5.1", beside=["test_one_at_a_time"])
def test_default_without_a_factor(student, rng):
    """A factor that the default does not set is an error."""
    partial = {name: level for name, level in DEFAULT.items() if name != "shape"}
    expect.raises(
        lambda: student.one_at_a_time(partial, FACTORS),
        otherwise="raise ValueError, not KeyError: `default.get(factor)` is None without it",
        read=READ,
    )


@exercise("5.1", weight=2)
def test_sampled_configurations(student, rng):
    """`n` different combinations of levels, none of them taken."""
    everything = every_combination(FACTORS)
    known = {key(one) for one in everything}
    for n in (4, 11, 14):
        taken = [everything[i] for i in rng.permutation(len(everything))[:4]]
        design = configurations(student.sampled_design(FACTORS, n, int(rng.integers(99)), taken))
        keys = [key(one) for one in design]
        expect.true(
            set(keys) <= known,
            expected=f"a level of each of {', '.join(FACTORS)} in every configuration",
            got=next((repr(one) for one in design if key(one) not in known), ""),
            otherwise="one level of each factor, as `factors` has it (no NumPy numbers)",
            read=READ,
        )
        expect.true(
            len(set(keys)) == len(keys),
            expected=f"{n} different configurations",
            got=f"{len(set(keys))} different ones among {len(keys)}",
            read=READ,
        )
        again = {key(one) for one in taken} & set(keys)
        expect.true(
            not again,
            expected="no configuration of `taken`",
            got=f"{len(again)} of them",
            read=READ,
        )
        expect.equal(
            len(keys),
            n,
            what="the number of configurations",
            read=READ,
        )


@exercise("5.1")
def test_the_seed(student, rng):
    """The same seed draws the same configurations, another seed others."""
    seed = int(rng.integers(1000))
    student.make("(np.random.seed(1), torch.manual_seed(1), __import__('random').seed(1))")
    first = configurations(student.sampled_design(FACTORS, 5, seed))
    student.make("(np.random.seed(2), torch.manual_seed(2), __import__('random').seed(2))")
    again = configurations(student.sampled_design(FACTORS, 5, seed))
    expect.true(
        first == again,
        expected=f"the same configurations from two calls with seed {seed}",
        got="other configurations",
        read=READ,
    )
    draw = student.make(
        "lambda: [[np.random.random(), float(torch.rand(()))], __import__('random').random()]"
    )
    drawn = []
    for called in (False, True):
        student.make("(np.random.seed(1), torch.manual_seed(1), __import__('random').seed(1))")
        if called:
            student.sampled_design(FACTORS, 5, seed)
        drawn.append(draw())
    for library, because, before, after in zip(
        ("the global generators of NumPy and torch", "Python's global generator"),
        (MISTAKE.design_global_generator, MISTAKE.design_pythons_generator),
        *drawn,
        strict=True,
    ):
        expect.true(
            before == after,
            expected=f"the same numbers from {library} as without the call",
            got="other ones",
            because=because,
            read=READ,
        )
    others = [configurations(student.sampled_design(FACTORS, 5, seed + n)) for n in (1, 2, 3)]
    expect.true(
        any(other != first for other in others),
        expected="other configurations with other seeds",
        got=f"the same configurations with seeds {seed} to {seed + 3}",
        read=READ,
    )


@exercise("5.1", weight=2)
def test_equally_likely(student, rng):
    """Every combination that is left is equally likely, and so is every pair."""
    factors = {"depth": [1, 2, 3], "shape": ["flat", "round"]}
    everything = every_combination(factors)
    taken, left = everything[2:3], everything[:2] + everything[3:]
    place = {key(one): number for number, one in enumerate(left)}
    n_seeds, together = 400, np.zeros((len(left), len(left)))
    for seed in range(n_seeds):
        pair = [place.get(key(c)) for c in student.sampled_design(factors, 2, seed, taken)]
        expect.true(
            len(set(pair)) == 2 and None not in pair,
            expected="two different combinations of depth and shape, not the one that is taken",
            got=f"{len(set(pair))} with seed {seed}",
            otherwise="draw without replacement from what is left",
            read=READ,
        )
        together[min(pair), max(pair)] += 1
    share = 1 / 10
    expect.by_chance(
        together[np.triu_indices(len(left), 1)] / n_seeds,
        np.full(10, share),
        (share * (1 - share) / n_seeds) ** 0.5,
        read=READ,
        what="how often each of the 10 pairs is drawn",
    )


@exercise("5.1")
def test_all_that_is_left(student, rng):
    """All that is left can be drawn, and one more is an error."""
    everything = every_combination(FACTORS)
    taken = [everything[i] for i in rng.permutation(len(everything))[:7]]
    design = configurations(student.sampled_design(FACTORS, 11, 3, taken))
    expect.equal(
        len({key(one) for one in [*design, *taken]}),
        len(everything),
        otherwise="with n = all that is left, each of them comes once",
        what="different configurations, with those taken",
        read=READ,
    )
    for n, gone in ((12, taken), (19, [])):
        expect.raises(
            lambda n=n, gone=gone: student.sampled_design(FACTORS, n, 3, gone),
            otherwise="raise ValueError when fewer than n combinations are left",
            read=READ,
        )
    none = configurations(student.sampled_design(FACTORS, 0, 3))
    expect.equal(none, [], what="the design of n = 0", read=READ)
