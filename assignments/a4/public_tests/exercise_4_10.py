"""The visible checks of exercise 4.10: greedy search."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# Transition probabilities of six tokens; 2 is the start and 3 the end. Sentence 0 uses the first
# table, sentence 1 the second, which ends at once after token 5.
FOLLOWS = torch.full((2, 6, 6), 0.02)
for sentence, path, shares in ((0, [2, 4, 1, 5, 3], [0.6, 0.5, 0.7, 0.8]),
                               (1, [2, 5, 3], [0.5, 0.9])):
    for before, after, share in zip(path, path[1:], shares, strict=False):
        FOLLOWS[sentence, before] = (1 - share) / 5
        FOLLOWS[sentence, before, after] = share
# A state records the sentence of each of its rows; a step logs the prefixes it was given.
STATE = ("type('State', (), {'__init__': lambda self, of: setattr(self, 'of', of), "
         "'reorder': lambda self, rows: type(self)(self.of[rows])})")
STRAY = "the state needs as many rows as there are prefixes"
STEP = ("lambda prefixes, state: (log.append(prefixes.tolist()), "
        f"(_ for _ in ()).throw(ValueError({STRAY!r})) if len(state.of) != len(prefixes) else "
        "(table[state.of, prefixes[:, -1]].log(), state))[1]")


def stray():
    raise ValueError(STRAY)


STATES = {"the state still has the rows of the last step: reorder it with the prefixes, "
          "`state = reorder(state, rows)`": stray}


def searched(student, n_rows, max_length, **options):
    """The hypotheses found, as plain data, and the prefixes that each step was given."""
    log = student.make("[]")
    step = student.make(STEP, log=log, table=FOLLOWS)
    state = student.make(f"{STATE}(torch.arange({n_rows}))")
    rows = student.greedy(step, state, n_rows, max_length, **options)
    rows = expect.parts(rows, n_rows, otherwise="one hypothesis per row", read="exercise 4.10")
    found = [[list(row.get("tokens")), row.get("score"), row.get("finished")] for row in rows]
    return found, log.get()


@exercise("4.10", weight=2)
def test_by_hand(student):
    """2 → 4 → 1 → 5 → end, each the most likely; the score sums all four log probabilities."""
    (found,), prefixes = searched(student, 1, 10)
    tokens, score, finished = found
    causes = {"the end token is not part of the sentence": [4, 1, 5, 3],
              "the start token is not part of the sentence": [2, 4, 1, 5],
              "start and end are not part of the sentence": [2, 4, 1, 5, 3]}
    expect.equal(tokens, [4, 1, 5], what="tokens", read="exercise 4.10",                 otherwise="the most likely token at every step")
    logs = [math.log(share) for share in (0.6, 0.5, 0.7, 0.8)]
    expect.close(
        score, sum(logs), atol=1e-4, what="score",
        otherwise="the sum of the log probabilities of the chosen tokens", read="exercise 4.10")
    expect.equal(finished, True, what="finished", read="exercise 4.10")
    expect.equal(prefixes[:2], [[[2]], [[2, 4]]], what="the prefixes of the first two steps",
                 otherwise="a step gets the whole prefix, with the start token first", read="§3")


@exercise("4.10")
def test_cut_off(student):
    """After `max_length` steps an unfinished row is returned as it is."""
    (found,), prefixes = searched(student, 1, 2)
    expect.equal(found[0], [4, 1], what="tokens with max_length=2", read="exercise 4.10",
                 otherwise="each of the max_length steps adds a token")
    expect.equal(found[2], False, what="finished", read="exercise 4.10",
                 otherwise="there is no end token")
    expect.equal(len(prefixes), 2, what="number of steps", read="exercise 4.10",
                 otherwise="max_length counts steps")


@exercise("4.10", weight=2)
def test_two_lengths(student):
    """A short and a long sentence in one batch give the same results as alone."""
    found, prefixes = searched(student, 2, 10)
    wanted = [([4, 1, 5], 0.6 * 0.5 * 0.7 * 0.8), ([5], 0.5 * 0.9)]
    for number, (want, p) in enumerate(wanted):
        tokens, score, finished = found[number]
        expect.equal(tokens, want, what=f"tokens of sentence {number}", read="exercise 4.10",
                     otherwise="nothing follows the end; does each row still get its own state?")
        expect.close(score, math.log(p), atol=1e-4, what=f"score of sentence {number}",
                     otherwise="tokens after the end token do not count", read="exercise 4.10")
        expect.equal(finished, True, what=f"finished of sentence {number}", read="exercise 4.10")
    expect.equal(len(prefixes), 4, what="number of steps", read="exercise 4.10",
                 otherwise="stop when the last row has ended")


@exercise("4.10")
def test_another_end(student):
    """`start` and `end` are arguments, and `choose` picks the tokens."""
    (found,), prefixes = searched(student, 1, 10, start=4, end=5)
    expect.equal([prefixes[0], found[0]], [[[4]], [1]], read="exercise 4.10",
                 what="[first prefixes, tokens] with start=4 and end=5")
    least = student.make("lambda log_probabilities: torch.full_like(log_probabilities[:, 0], 5)"
                         ".long()")
    (found,), _ = searched(student, 1, 2, choose=least)
    expect.equal(found[0], [5, 5], read="exercise 4.10", what="tokens when `choose` returns 5",
                 otherwise="call choose(log_probabilities)")


@exercise("4.10")
def test_device(student):
    """The prefixes are on `device`."""
    # torch's "meta" device is on every machine: tensors without values; the step logs it and stops
    seen = student.make("[]")
    step = student.make("lambda prefixes, state: (seen.append(prefixes.device.type), 1 / 0)",
                        seen=seen)
    expect.raises(lambda: student.greedy(step, None, 2, 3, device="meta"), "ZeroDivisionError",
                  read="exercise 4.10", otherwise="call the step before anything else")
    expect.equal(seen.get(), ["meta"], what="the device of the first prefixes, device='meta',",
                 read="exercise 4.10")
