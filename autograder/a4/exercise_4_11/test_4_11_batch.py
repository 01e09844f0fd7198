"""Hidden tests of exercise 4.11: many sentences in one search, its state, steps and device."""

from functools import partial

from autograder.a4.exercise_4_11.test_4_11_beam_search import READ, STEPS
from autograder.a4.table_search import drawn, on_a_device, search
from grader.checking.question import question

ask = partial(question, "4.11", read=READ, builds_on=STEPS)

ONE = "one call of `step` serves the beams of all sentences, and a sentence that is done leaves"


@ask(weight=3, advice="each sentence has its own beam, list, end, and rows of the state")
def test_sentences(its, rng):
    """Each sentence of a batch gets the same hypotheses as alone, each row its own state."""
    answer = {}
    # Long ones win, if still searched; with rare ends no sentence leaves, and yet beams move.
    for count, width, alpha, end in ((5, 3, 0.6, 0.0), (40, 2, 2.0, 0.0), (3, 4, 0.6, -4.0)):
        options = {"width": width, "length_penalty": alpha, "n_best": width, "max_length": 8}
        what = f"of {count} sentences"
        table = drawn(rng, end=end)
        answer |= search(its, "beam_search", table, range(count), what=what, **options)[0]
    return answer


@ask(advice=ONE)
def test_steps(its, rng):
    """As many steps for eight sentences as for one; no more when nothing can change the result."""
    options = {"width": 4, "length_penalty": 1.0}
    answer, table = {}, drawn(rng, end=-2.0)
    for n in (1, 7):
        for count in (1, 8):
            rows = search(its, "beam_search", table, [0] * count, max_length=n, **options)[1]
            answer[f"calls of `step` for {count} sentences, max_length={n}"] = len(rows)
    sure = {"2": {0: 0.02, 1: 0.02, 3: 0.9, 4: 0.04, 5: 0.02}}
    rows = search(its, "beam_search", drawn(rng, end=-3.0), (), sure, max_length=10, width=4)[1]
    plain = search(its, "beam_search", drawn(rng, end=-60.0))[1]
    answer |= {"steps without an end, by default": len(plain), "beams by default": plain[-1]}
    return answer | {"it stops after two steps if the end has a probability of 0.9": len(rows) <= 2}


@ask(advice="make every tensor on `device`", corner=True)
def test_device(its):
    """The prefixes are on `device`, where the model is."""
    return on_a_device(its, "beam_search")
