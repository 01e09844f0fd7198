"""Hidden tests of exercise 4.19: steps with a cache, exact even when rows move."""

from functools import partial

import torch

from autograder.a4.exercise_4_19.cached_decoding import (
    AFTER,
    READ,
    ROUNDING,
    SAME,
    SOURCE,
    decoded,
    model,
    prefixes,
)
from grader.checking.question import question, refusal

ask = partial(question, "4.19", read=READ, after=AFTER)


@ask(weight=3, advice=SAME, atol=ROUNDING, rtol=0.0)
def test_every_step(its, rng):
    """At every step the log probabilities equal those without a cache; post-norm and pre-norm."""
    answer = {}
    for norm_first, lengths in ((False, range(1, 7)), (True, (1, 4, 5, 6))):
        what = f", norm_first={norm_first}"
        known = model(its, rng, norm_first)
        answer |= decoded(its, known, prefixes(rng, 6), lengths, what)[0]
    return answer


@ask(weight=3, advice=SAME, atol=ROUNDING, rtol=0.0)
def test_rows_that_move(its, rng):
    """The same after rows are dropped, swapped and duplicated, as in a beam."""
    known, whole, answer = model(its, rng, True), torch.full((3, 1), 2), {}
    step, cache = its.cached_step(known), its.start_cache(known, SOURCE)
    for rows in ([0, 0, 1, 1, 2, 2], [1, 0, 3, 3, 5, 4], [3, 2, 5, 5], [1, 0, 2, 2], [3, 0]):
        logs, cache = step(whole, cache)
        answer[f"log probabilities of {len(whole)} rows of {whole.shape[1]} tokens"] = logs
        cache = cache.method("reorder", torch.tensor(rows))
        whole = torch.cat([whole[rows], prefixes(rng, 2, len(rows))[:, 1:]], dim=1)
    return answer


@ask(advice="no token sees a later one", atol=ROUNDING, rtol=0.0)
def test_several_new_tokens(its, rng):
    """Several new tokens are read at once, and none sees a later one."""
    return decoded(its, model(its, rng), prefixes(rng, 7), (3, 4, 7))[0]


@ask(atol=ROUNDING, rtol=0.0, advice="the mask of the whole prefix, with `pad_id`")
def test_padding_in_a_prefix(its, rng):
    """A padding token in a prefix stays masked, as without a cache."""
    whole = torch.tensor([[2, 5, 0, 7, 4], [2, 0, 8, 9, 6], [2, 4, 5, 6, 0]])
    answer = {}
    for pad_id in (0, 5):  # start with two: a single new token would hide a missing mask
        known = model(its, rng, pad_id=pad_id)
        answer |= decoded(its, known, whole, range(2, 6), f", pad_id={pad_id}")[0]
    return answer


@ask(weight=0.5, advice="there is nothing to read: ValueError")
def test_nothing_new(its, rng):
    """Prefixes that have not grown raise a ValueError."""
    whole = prefixes(rng, 2)
    _, step, cache = decoded(its, model(its, rng), whole, [2])
    return {
        f"{n} tokens, and two in the cache": refusal(lambda n=n: step(whole[:, :n], cache))
        for n in (2, 1)
    }
