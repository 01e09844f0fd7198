"""The visible checks of exercise 5.1: which configurations a study tries."""

from grader.checking.question import question, refusal

FACTORS = {"size": [3, 1, 2], "shape": ["flat", "round"]}
DEFAULT = {"shape": "flat", "size": 2, "epochs": 4}
READ = "exercise 5.1"


@question("5.1", 2, advice="{**default, factor: level} for each other level", read=READ)
def test_one_at_a_time(its):
    """The default, then one change at a time, in the order of factors and levels."""
    error = refusal(lambda: its.one_at_a_time({**DEFAULT, "size": 4}, FACTORS), ["size"])
    return {"the design": its.one_at_a_time(DEFAULT, FACTORS), "a default of size 4": error}


@question("5.1", 2.5, advice="draw without replacement what is not taken, by `seed`", read=READ)
def test_sampled(its):
    """`n` different combinations, without those that are taken; a seed repeats them."""
    taken = {"size": 2, "shape": "flat"}
    one, again, *others = (
        its.sampled_design(FACTORS, 4, seed, [taken]) for seed in (5, 5, 6, 7, 8)
    )
    return {
        "configurations": len(one),
        "different ones": len([each for i, each in enumerate(one) if each not in one[:i]]),
        "none is taken": taken not in one,
        "the same seed gives the same list": one == again,
        "other seeds give other lists": others != [one] * 3,
        "7 of 6 combinations": refusal(lambda: its.sampled_design(FACTORS, 7, 0)),
    }


@question(
    "5.1", 0.5, corner=True, needs_one_of=["test_sampled"], advice="np.random.default_rng(seed)"
)
def test_global_generator(its):
    """NumPy's global generator stays as it is."""
    state = "[np.random.get_state()[1].tolist(), np.random.get_state()[2]]"
    before = its.make(state).get()
    its.sampled_design(FACTORS, 4, 5)
    return {"the global generator is as before": its.make(state).get() == before}
