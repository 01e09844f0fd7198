"""Hidden tests of exercise 4.11: many sentences in one search, its state, steps and device."""

from functools import partial

from autograder.a4.exercise_4_11.test_4_11_beam_search import READ, STEPS
from autograder.a4.table_search import drawn, on_a_device, search
from grader.checking.question import question

ask = partial(question, "4.11", read=READ, after=STEPS)

ONE = "one call of `step` serves the beams of all sentences, and a sentence that is done leaves"


@ask(weight=4, advice="each sentence has its own beam, stopping point and list")
def test_sentences(its, rng):
    """Each sentence of a batch gets the same hypotheses as alone."""
    options = {"width": 3, "n_best": 3, "max_length": 8}
    answer = search(its, "beam_search", drawn(rng), range(5), **options).found
    options |= {"width": 2, "n_best": 2, "length_penalty": 2.0}  # long ones win, if still searched
    what = "of 40, length_penalty=2"
    return answer | search(its, "beam_search", drawn(rng), range(40), what=what, **options).found


@ask(weight=6, advice="reorder the state with the rows of prefixes")
def test_state_follows_the_beams(its, rng):
    """At every step each row has the state of its own prefix, as a cache requires."""
    answer = {}
    # Rare ends: no sentence leaves, and the beams change places all the same.
    for end, count, width in ((0.0, 1, 4), (0.0, 5, 3), (-4.0, 1, 4), (-4.0, 3, 3)):
        table, options = drawn(rng, end=end), {"width": width, "max_length": 8}
        found = search(its, "beam_search", table, range(count), **options)
        name = f"steps with the state of other rows, {count} sentences, table {end}"
        answer[name] = found.strays
    return answer


@ask(advice=ONE)
def test_steps(its, rng):
    """At most `max_length` steps, and as many for eight sentences as for one."""
    answer, table = {}, drawn(rng, end=-2.0)
    for n in (1, 7):
        for sentences in ([0], [0] * 8):
            options = {"width": 4, "length_penalty": 1.0, "max_length": n}
            found = search(its, "beam_search", table, sentences, **options)
            name = f"calls of `step` for {len(sentences)} sentences, max_length={n}"
            answer[name] = len(found.rows)
    return answer


@ask(advice="`is_final` says when a sentence is done")
def test_certain_result(its, rng):
    """The search stops when nothing can change the result."""
    sure, options = {"2": [0.02, 0.02, 0.0, 0.9, 0.04, 0.02]}, {"width": 4, "max_length": 10}
    found = search(its, "beam_search", drawn(rng, end=-3.0), None, sure, **options)
    return {**found.found, "it has stopped after two steps": len(found.rows) <= 2}


@ask(weight=0.5, advice="make every tensor on `device`")
def test_device(its):
    """The prefixes are on `device`, where the model is."""
    return on_a_device(its, "beam_search")
