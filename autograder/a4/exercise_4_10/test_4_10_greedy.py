"""Hidden tests of exercise 4.10: greedy search with a model given by a table."""

from functools import partial

from autograder.a4.table_search import drawn, on_a_device, search
from grader.checking.question import question

READ = "§3; the docstring of 4.10"
ask = partial(question, "4.10", read=READ)
STEPS = "append each row's most likely token and add its log probability, until the end token"
LEAVE = "remove the rows that have ended from prefixes, scores and state"


@ask(weight=2, advice=STEPS)
def test_one_row(its, rng):
    """Tokens, score and `finished` of sentences searched one by one, without a state."""
    answer = {}
    for end in (1.0, -1.5):
        table = drawn(rng, end=end)
        for n in (1, 4, 9):
            what = f"with max_length={n}, table {end}"
            answer |= search(its, "greedy", table, what=what, max_length=n)[0]
    return answer


@ask(weight=6, advice=f"{STEPS}; {LEAVE}; stop when none is left")
def test_batch(its, rng):
    """Rows of a batch end at different steps, and leave; each has its own state, as alone."""
    table, answer = drawn(rng, 7), {}
    for n in (3, 12, 100):
        what = f"of 12 rows, max_length={n}"
        found, rows = search(its, "greedy", table, range(12), what=what, max_length=n)
        answer |= found | {f"rows read at each step {what}": rows}
    return answer


@ask(weight=3, advice="give `choose` the log probabilities; add that of the token it picks")
def test_choose(its, rng):
    """`choose` picks the tokens, the score sums their log probabilities; other start and end."""
    # The first token above −1, or else the first of all: not a matter of order alone.
    choose = its.make("lambda rows: rows.gt(-1.0).long().argmax(1)")
    answer, _ = search(its, "greedy", drawn(rng), range(4), max_length=8, choose=choose)
    ids = {"what": "with start=0, end=1", "start": 0, "end": 1}
    return answer | search(its, "greedy", drawn(rng), max_length=8, **ids)[0]


@ask(weight=0.5, advice="make every tensor on `device`", corner=True)
def test_device(its):
    """The prefixes are on `device`, where the model is."""
    return on_a_device(its, "greedy")
