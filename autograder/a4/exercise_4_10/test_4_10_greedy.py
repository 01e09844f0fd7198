"""Hidden tests of exercise 4.10: greedy search with a model given by a table."""

from autograder.a4.search_reference import greedy
from autograder.a4.searching import END, Search, compare, drawn
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3; the docstring of 4.10"


def second(row):
    return int(row.topk(2).indices[1])


def wanted(search, sentences, max_length, **options):
    return [[greedy(search.twin, sentence, max_length, **options)] for sentence in sentences]


def mistakes(search, sentences, max_length):
    """The hypotheses that each likely mistake would find."""

    def made(length=max_length, **options):
        return wanted(search, sentences, length, **options)

    right = made()
    first_end = min([len(h.tokens) + 1 for (h,) in right if h.finished] + [max_length])
    return {
        MISTAKE.greedy_ended_rows_are_scored: made(goes_on=True),
        MISTAKE.greedy_ended_rows_go_on: made(endless=True),
        MISTAKE.greedy_rows_in_order_of_ends: sorted(
            right, key=lambda one: (not one[0].finished, len(one[0].tokens))
        ),
        MISTAKE.greedy_stops_with_the_first: made(first_end),
        MISTAKE.greedy_end_token_kept: made(kept_end=True),
        MISTAKE.greedy_start_token_kept: made(kept_start=True),
        MISTAKE.greedy_end_not_scored: made(free_end=True),
        MISTAKE.greedy_one_step_too_few: made(max_length - 1),
        "the search goes one step too far: `max_length` steps are allowed": made(max_length + 1),
        MISTAKE.greedy_least_likely: made(pick=lambda row: int(row.argmin())),
        "the scores are of opposite sign: the score is the log probability": [
            [h._replace(score=-h.score)] for (h,) in right
        ],
        "the score is the mean over the tokens: return the sum": [
            [h._replace(score=h.score / (len(h.tokens) + h.finished))] for (h,) in right
        ],
        "`finished` says whether the end token was reached": [
            [h._replace(finished=not h.finished)] for (h,) in right
        ],
    }


def check(search, sentences, max_length, found, **options):
    compare(
        [[one] for one in found],
        wanted(search, sentences, max_length, **options),
        otherwise="at each step, append each row's most likely token and add its log probability, "
        "until the end token",
        read=READ,
        what="row",
    )


@exercise("4.10", weight=2)
def test_one_row(student, rng):
    """Tokens, score and `finished` of sentences searched one by one."""
    for end in (1.0, -1.5):
        search = Search(student, drawn(rng, end=end))
        for max_length in (1, 4, 9):
            found = search.greedy(1, max_length)
            check(search, [0], max_length, found)


@exercise("4.10", weight=2)
def test_batch(student, rng):
    """Rows of a batch end at different steps, and each gets the same result as alone."""
    for max_length in (3, 12):
        search, rows = uneven(student, rng, max_length)
        check(search, rows, max_length, search.greedy(len(rows), max_length, rows))


def uneven(student, rng, max_length=12):
    """Six sentences of different lengths, some of them cut off."""
    while True:
        table = drawn(rng, 7)
        search, rows = Search(student, table), [0, 1, 2, 3, 4, 5]
        lengths = [greedy(search.twin, row, max_length) for row in rows]
        ends = {len(h.tokens) for h in lengths if h.finished}
        if len(ends) >= 2 and not all(h.finished for h in lengths):
            return search, rows


@exercise("4.10", weight=2)
def test_state(student, rng):
    """The state is reordered when rows leave, so that it matches the rows that are read."""
    search, rows = uneven(student, rng)
    search.greedy(len(rows), 12, rows)
    search.check_state(READ)
    again = Search(student, search.twin.table)
    check(again, [0] * 3, 5, again.greedy(3, 5))  # a stateless model


@exercise("4.10")
def test_rows_that_ended(student, rng):
    """Rows that have ended are no longer read."""
    search, rows = uneven(student, rng)
    right = [h for (h,) in wanted(search, rows, 12)]
    search.greedy(len(rows), 12, rows)
    for step, (sentences, prefixes) in enumerate(search.model.get("log")):
        left = [r for r, h in zip(rows, right, strict=True) if len(h.tokens) >= step]
        late = sorted(set(sentences) - set(left))
        expect.true(
            not late,
            expected=f"at step {step + 1} the rows {left}",
            got=f"also rows {late}, which have ended",
            because="a row whose prefix contains the end token is read: remove the rows that "
            "have ended from prefixes, scores and state"
            if any(END in prefix[1:] for prefix in prefixes)
            else "",
            otherwise="remove the rows that have ended from prefixes, scores and state",
            read=READ,
        )


@exercise("4.10")
def test_steps(student, rng):
    """One step per token for the whole batch, none after the longest row has ended."""
    for max_length in (12, 100):
        search = Search(student, drawn(rng, end=0.5))
        rows = [0, 1, 2, 3]
        found = search.greedy(4, max_length, rows)
        longest = max(len(h.tokens) + h.finished for h in found)
        asked = search.model.get("log")
        expect.true(
            all(prefixes for _, prefixes in asked),
            expected="steps that read at least one row",
            got="a step without any row",
            read=READ,
        )
        each = sum(len(h.tokens) + h.finished for h in found)
        expect.true(
            search.calls() <= longest,
            expected=f"at most {longest} calls of `step` for 4 rows, the longest of "
            f"{longest - 1} tokens and the end",
            got=f"{search.calls()}",
            because="the rows are searched one after another: call `step` once for all rows"
            if search.calls() == each and all(len(prefixes) == 1 for _, prefixes in asked)
            else "",
            otherwise="call `step` once for all rows, and stop when none is left",
            read=READ,
        )


@exercise("4.10")
def test_other_start_and_end(student, rng):
    """Other ids of the start and the end token."""
    for start, end in ((0, 1), (5, 4)):
        search = Search(student, drawn(rng))
        compare(
            [[one] for one in search.greedy(1, 8, start=start, end=end)],
            wanted(search, [0], 8, start=start, end=end),
            read=READ,
            what="row",
        )


@exercise("4.10")
def test_choose(student, rng):
    """`choose` picks the tokens; the score sums their log probabilities."""
    search, rows = Search(student, drawn(rng)), [0, 1, 2, 3]
    choose = student.make("lambda rows: rows.topk(2).indices[:, 1]")
    found = search.greedy(4, 8, rows, choose=choose)
    right = wanted(search, rows, 8, pick=second)
    compare(
        [[one] for one in found],
        right,
        otherwise="the token that `choose` picks, and that token's log probability",
        read=READ,
        what="row",
    )


@exercise("4.10", weight=0.5)
def test_device(student, rng):
    """The prefixes are on `device`, where the model is."""
    Search(student, drawn(rng)).check_device("greedy", "the signature of 4.10")
