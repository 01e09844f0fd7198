"""Hidden tests of exercise 5.1: one factor at a time, and configurations drawn at random."""

from itertools import combinations, product

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
GENERATORS = {
    "numpy": "[np.random.get_state()[1].tolist(), np.random.get_state()[2]]",
    "torch": "torch.get_rng_state().tolist()",
    "Python": "__import__('random').getstate()",
}
ONE_BY_ONE = "[the default], then for each factor {**default, factor: level} for each other level"
DIFFERENT = "draw without replacement from the combinations that are not taken"


@question("5.1", weight=3.5, advice=ONE_BY_ONE, read=READ)
def test_one_at_a_time(its, rng):
    """The default first, then every configuration that differs from it in one factor, all new."""
    source = "[id(one) for one in [given, *student['one_at_a_time'](given, factors)]]"
    given, *made = its.make(source, given=DEFAULT, factors=FACTORS).get()
    return {
        "the design": its.one_at_a_time(DEFAULT, FACTORS),
        "every configuration is a dictionary of its own": len({*made}) == len(made),
        "the default is copied": given not in made,
    }


@question(
    "5.1", corner=True, advice="name the factor", read=READ, needs_one_of=["test_one_at_a_time"]
)
def test_default_outside_the_levels(its, rng):
    """A default outside its factor's levels, or without the factor, is an error that names it."""
    shapeless = {name: level for name, level in DEFAULT.items() if name != "shape"}
    cases = {"width": {**DEFAULT, "width": 48}, "rate": {**DEFAULT, "rate": None}}
    cases["shape"] = shapeless
    return {
        f"the error for {name}": refusal(lambda one=one: its.one_at_a_time(one, FACTORS), [name])
        for name, one in cases.items()
    }


@question("5.1", weight=2.5, advice=DIFFERENT, read=READ)
def test_sampled_configurations(its, rng):
    """`n` different combinations of levels, none of them taken; up to all, and no more."""
    found = {}
    for n in (0, 4, 17):
        left = [EVERY[i] for i in rng.permutation(len(EVERY))]
        taken = [left.pop() for _ in range(7)]
        taken += [*taken, {**EVERY[0], "width": 7}]
        design = its.sampled_design(FACTORS, n, int(rng.integers(99)), taken)
        found[f"configurations, n = {n}"] = len(design)
        found[f"different ones that are not taken, n = {n}"] = sum(one in design for one in left)
    return found | {
        "18 of 17": refusal(lambda: its.sampled_design(FACTORS, 18, 3, taken)),
        "25 of 24": refusal(lambda: its.sampled_design(FACTORS, 25, 3)),
    }


@question("5.1", weight=2, advice="draw from a generator of your own, made from `seed`", read=READ)
def test_the_seed(its, rng):
    """The same seed draws the same configurations, another seed others, and nothing else."""
    seed = int(rng.integers(1000))
    before = {name: its.make(state).get() for name, state in GENERATORS.items()}
    one, again, *others = (its.sampled_design(FACTORS, 5, seed + n) for n in (0, 0, 1, 2))
    return {
        "the same seed gives the same list": one == again,
        "other seeds give other lists": others != [one] * 2,
    } | {
        f"the global generator of {name} stays as it is": its.make(state).get() == before[name]
        for name, state in GENERATORS.items()
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
        "every pair occurs as often as every other": all(10 < n < 70 for n in pairs),
    }
