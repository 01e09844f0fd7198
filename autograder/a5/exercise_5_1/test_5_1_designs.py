"""Hidden tests of exercise 5.1: one factor at a time, and configurations drawn at random."""

from itertools import combinations, product

from autograder.a5.student_side import kept
from grader.checking.question import question, refusal

READ = "the docstrings of 5.1"
FACTORS = {
    "width": [64, 16, 32, 8],
    "rate": [0.5, 0.0, 0.25],
    "shape": ["flat", "round"],
    "bias": [True],
}
DEFAULT = {"rate": 0.25, "width": 16, "shape": "round", "bias": True, "epochs": 4}
EVERY = [dict(zip(FACTORS, levels, strict=True)) for levels in product(*FACTORS.values())]
SEEDED = "(np.random.seed(n), torch.manual_seed(n), __import__('random').seed(n))"
ONE_BY_ONE = "[the default], then for each factor {**default, factor: level} for each other level"
DIFFERENT = "draw without replacement from the combinations that are not taken"


@question("5.1", weight=3, advice=ONE_BY_ONE, read=READ)
def test_one_at_a_time(its, rng):
    """The default first, then every configuration that differs from it in one factor."""
    other = {**DEFAULT, "width": 32, "rate": 0.5}
    return {
        "the design": its.one_at_a_time(DEFAULT, FACTORS),
        "the design around another default": its.one_at_a_time(other, FACTORS),
    } | kept(its, its.one_at_a_time, DEFAULT, FACTORS)


@question(
    "5.1", weight=0.5, advice="make each one with {**default, factor: level} or dict(…)", read=READ
)
def test_new_dictionaries(its, rng):
    """Every configuration is a dictionary of its own, and none is the given default."""
    source = "[id(one) for one in [given, *student['one_at_a_time'](given, factors)]]"
    given, *made = its.make(source, given=DEFAULT, factors=FACTORS).get()
    return {"configurations": len(made), "dictionaries": len({*made}), "copied": given not in made}


@question(
    "5.1",
    advice="raise ValueError with the factor's name",
    read=READ,
    beside=["test_one_at_a_time"],
)
def test_default_outside_the_levels(its, rng):
    """A default outside its factor's levels, or without the factor, is an error that names it."""
    shapeless = {name: level for name, level in DEFAULT.items() if name != "shape"}
    return {
        f"the error for {name}": refusal(lambda one=one: its.one_at_a_time(one, FACTORS), [name])
        for one, name in [
            ({**DEFAULT, "width": 48}, "width"),
            ({**DEFAULT, "rate": None}, "rate"),
            (shapeless, "shape"),
        ]
    }


@question("5.1", weight=2, advice=DIFFERENT, read=READ)
def test_sampled_configurations(its, rng):
    """`n` different combinations of levels, none of them taken."""
    found = {}
    for n in (4, 17, 20):
        taken = [EVERY[i] for i in rng.permutation(len(EVERY))[:4]]
        design = its.sampled_design(FACTORS, n, int(rng.integers(99)), taken)
        found |= {
            f"configurations, n = {n}": len(design),
            f"every one has a level of each factor, n = {n}": all(c in EVERY for c in design),
            f"different ones, n = {n}": sum(one in design for one in EVERY),
            f"taken ones, n = {n}": sum(one in design for one in taken),
        }
    return found


@question("5.1", weight=2, advice="draw from a generator of your own, made from `seed`", read=READ)
def test_the_seed(its, rng):
    """The same seed draws the same configurations, another seed others, and nothing else."""
    seed = int(rng.integers(1000))
    drawn = "[float(np.random.random()), float(torch.rand(()))], __import__('random').random()"
    designs, after = [], []
    for at, own in enumerate((seed, seed, None, seed + 1, seed + 2), 1):
        its.make(SEEDED, n=min(at, 2))
        designs.append(None if own is None else its.sampled_design(FACTORS, 5, own))
        after.append(its.make(drawn).get())
    return {
        "the same seed gives the same list": designs[0] == designs[1],
        "other seeds give other lists": designs[3:] != [designs[0]] * 2,
        "the generators of NumPy and torch stay as they are": after[1][0] == after[2][0],
        "Python's generator stays as it is": after[1][1] == after[2][1],
    }


@question("5.1", weight=2, advice=DIFFERENT, read=READ)
def test_equally_likely(its, rng):
    """Every combination that is left is equally likely, and so is every pair."""
    factors = {"depth": [1, 2, 3], "shape": ["flat", "round"]}
    every = [dict(zip(factors, levels, strict=True)) for levels in product(*factors.values())]
    left = every[:2] + every[3:]
    drawn = [its.sampled_design(factors, 2, seed, every[2:3]) for seed in range(400)]
    pairs = [sum(a in one and b in one for one in drawn) for a, b in combinations(left, 2)]
    return {  # each of 10 pairs 40 times, with a standard deviation of 6
        "every design is a pair of those that are left": sum(pairs) == 400,
        "every pair comes about as often as every other": all(10 < n < 70 for n in pairs),
    }


@question(
    "5.1", weight=0.5, advice="raise ValueError when fewer than n combinations are left", read=READ
)
def test_all_that_is_left(its, rng):
    """All that is left can be drawn, and one more is an error."""
    taken = [EVERY[i] for i in rng.permutation(len(EVERY))[:7]]
    strange = [*taken, *taken, {**EVERY[0], "width": 7}]
    design = its.sampled_design(FACTORS, 17, 3, strange)
    return {
        "different ones of 17": sum(one in design for one in EVERY if one not in taken),
        "none for n = 0": its.sampled_design(FACTORS, 0, 3),
        "18 of 17": refusal(lambda: its.sampled_design(FACTORS, 18, 3, taken)),
        "25 of 24": refusal(lambda: its.sampled_design(FACTORS, 25, 3)),
    }
