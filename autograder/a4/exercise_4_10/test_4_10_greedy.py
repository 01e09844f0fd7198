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
    """Tokens, score and `finished` of sentences searched one by one."""
    answer = {}
    for end in (1.0, -1.5):
        table = drawn(rng, end=end)
        for n in (1, 4, 9):
            what = f"with max_length={n}"
            answer |= search(its, "greedy", table, what=what, max_length=n).found
    return answer


@ask(weight=2, advice=STEPS)
def test_batch(its, rng):
    """Rows of a batch end at different steps, and each gets the same result as alone."""
    table, answer = drawn(rng, 7), {}
    for n in (3, 12):
        what = f"of 12 rows, max_length={n}"
        answer |= search(its, "greedy", table, range(12), what=what, max_length=n).found
    return answer


@ask(weight=2, advice="reorder the state when rows leave")
def test_state(its, rng):
    """The state is reordered when rows leave, so that it matches the rows that are read."""
    table = drawn(rng, 7)
    wrong = search(its, "greedy", table, range(12), max_length=12).strays
    stateless = search(its, "greedy", table, max_length=5, what="with a state of None").found
    return {"steps with the state of other rows": wrong, **stateless}


@ask(weight=2, advice=f"{LEAVE}; stop when none is left")
def test_steps(its, rng):
    """One step per token for the whole batch; rows that have ended are no longer read."""
    return {
        f"rows read at each step, max_length={n}": search(
            its, "greedy", drawn(rng, end=0.5), range(8), max_length=n
        ).rows
        for n in (12, 100)
    }


@ask()
def test_other_start_and_end(its, rng):
    """Other ids of the start and the end token."""
    answer = {}
    for start, end in ((0, 1), (5, 4)):
        ids = {"start": start, "end": end}
        what = f"with start={start}, end={end}"
        answer |= search(its, "greedy", drawn(rng), what=what, max_length=8, **ids).found
    return answer


@ask(advice="give `choose` the log probabilities; add that of the token it picks")
def test_choose(its, rng):
    """`choose` picks the tokens; the score sums their log probabilities."""
    answer, table = {}, drawn(rng)
    second = its.make("lambda rows: rows.topk(2).indices[:, 1]")
    likely = its.make("lambda rows: rows.gt(-1.0).long().argmax(1)")  # no matter of order alone
    for name, choose in (("the second best", second), ("the first above −1", likely)):
        what = f"if `choose` takes {name}"
        answer |= search(
            its, "greedy", table, range(4), what=what, max_length=8, choose=choose
        ).found
    return answer


@ask(weight=0.5, advice="make every tensor on `device`", read="the signature of 4.10")
def test_device(its):
    """The prefixes are on `device`, where the model is."""
    return on_a_device(its, "greedy")
