"""Hidden tests of exercise 4.11, steps 2 and 3: which candidates finish, and when to stop."""

import math
from functools import partial

import torch

from autograder.a4.table_search import END
from grader.checking.question import question
from grader.seam import StudentError

SPLIT, STOP = "the docstring of `split_candidates`", "the docstring of `is_final`"
ask = partial(question, "4.11", read=SPLIT)
CASES = ((2, ((0,), (1, 2), (3,))), (4, ((0, 3, 4), (2, 7), (0, 1))))
FOUND = (
    "(lambda Hypothesis: [Hypothesis([], s, True) for s in scores])(__import__('dataclasses')"
    ".make_dataclass('Hypothesis', ['tokens', 'score', 'finished'], frozen=True))"
)
# Scores of finished hypotheses, the bound, width and n_best.
ASKED = (
    [((), -1.0, 2, 1), ((), -math.inf, 2, 1), ((-3.0,), -1.0, 1, 1), ((-3.0, -1.0), -0.5, 2, 1)]
    + [((-1.0,), -2.0, 3, 1), ((-1.0,), -0.5, 3, 1), ((-1.0, -3.0), -2.0, 3, 2)]
    + [((-3.0, -1.0), -2.0, 3, 1), ((-1.0, -3.0, -1.5), -1.6, 4, 2), ((-1.0, -2.0), -2.0, 3, 2)]
    + [((-1.0,), -2.0, 3, 2), ((-4.0, -5.0), 0.0, 3, 1), ((-2.0,), -1.0, 2, 1)]
)


def candidates(rng, width, ends):
    """Sentences of `2 * width` ranked candidates; END has the ranks `ends`."""
    shape = (len(ends), 2 * width)
    totals = -torch.from_numpy(rng.uniform(0.2, 1.0, size=shape).astype("float32")).cumsum(1)
    tokens = torch.from_numpy(rng.integers(4, 40, size=shape))
    for sentence, own in enumerate(ends):
        tokens[sentence, list(own)] = END
    return totals, tokens


@ask(weight=3, advice="True at ends among the `width` best")
def test_which_candidates_finish(its, rng):
    """END among the `width` best finishes a hypothesis, and no other candidate does."""
    answer = {}
    for width, ends in CASES:
        finished = its.split_candidates(*candidates(rng, width, ends), width)[2]
        answer |= {
            f"`finished` with width {width}": finished,
            f"its type with width {width}": str(finished.dtype),
        }
    return answer


@ask(weight=3, advice="the `width` best that are no end token")
def test_which_candidates_continue(its, rng):
    """The `width` best candidates that are no END, their scores and their places."""
    answer = {}
    for width, ends in CASES:
        scores, places, _ = its.split_candidates(*candidates(rng, width, ends), width)
        answer |= {f"scores with width {width}": scores, f"places with width {width}": places}
    return answer


@ask(advice="−∞ where there are too few; probability 0 finishes nothing")
def test_candidates_without_a_chance(its):
    """Candidates of probability 0 finish nothing; a beam with too few others has −∞."""
    totals = torch.tensor([[-1.0, -2.0, *[-math.inf] * 4]])
    scores, _, finished = its.split_candidates(totals, torch.tensor([[END, 5, END, 6, 7, 8]]), 3)
    few, _, _ = its.split_candidates(totals[:, :4], torch.tensor([[4, END, END, END]]), 3)
    return {"`finished`": finished, "scores": scores, "scores of one candidate and ends": few}


@ask(weight=0.5, advice="compare the tokens with `end`")
def test_another_end(its, rng):
    """`end` may be another token; END is then an ordinary one."""
    totals, tokens = candidates(rng, 2, ((0,), (1,), (3,)))
    tokens[0, 1] = tokens[1, 0] = tokens[2, 1] = 9
    return {"`finished` with end=9": its.split_candidates(totals, tokens, 2, 9)[2]}


@ask(weight=5, advice="done, no prefix left, or `n_best` scores of at least `bound`", read="")
def test_when_to_stop(its):
    """Done, without a prefix, certain, and each time just not so."""
    return {
        f"it is final: scores {list(scores)}, bound {bound}, width {width}, n_best {n}": bool(
            its.is_final(its.make(FOUND, scores=list(scores)), bound, width, n)
        )
        for scores, bound, width, n in ASKED
    }


@ask(weight=0.5, advice="torch.arange(…, device=scores.device)", read="exercise 4.11")
def test_other_devices(its):
    """`continuations` and `split_candidates` work where their arguments are."""
    # "meta" is a device of every machine; its tensors have no values
    logs, tokens = "torch.zeros(4, 6, device='meta')", "torch.zeros(2, 6, device='meta').long()"
    calls = {
        "continuations": f"continuations'](torch.zeros(2, 2, device='meta'), {logs}, 6)",
        "split_candidates": f"split_candidates']({logs}[:2], {tokens}, 3)",
    }
    return {f"`{name}` keeps to one device": kept(its, call) for name, call in calls.items()}


def kept(its, call):
    """Whether a call mixes no devices, as far as it can be seen without values."""
    try:
        its.make(f"len(student['{call})")
    except StudentError as error:
        if "meta" not in error.message:
            raise
        return "expected device" not in error.message
    return True
