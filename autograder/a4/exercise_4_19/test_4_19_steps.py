"""Hidden tests of exercise 4.19: steps with a cache, exact even when rows move."""

import torch

from autograder.a4.exercise_4_19.cached_decoding import READ, Decoding, grown
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


@exercise("4.19", weight=2, after=["start_cache", "cached_layer"])
def test_every_step(student, rng):
    """At every step the log probabilities equal those without a cache; post-norm and pre-norm."""
    for norm_first in (False, True):
        decoding = Decoding(student, rng, norm_first).start()
        prefixes = torch.full((3, 1), 2)
        for step in range(6):
            found = decoding.advance(prefixes)
            order = "pre-norm" if norm_first else "post-norm"
            decoding.compare(found, prefixes, f"log probabilities of step {step + 1}, {order}")
            prefixes = grown(rng, prefixes)


@exercise("4.19", weight=2, after=["start_cache", "cached_layer"])
def test_rows_that_move(student, rng):
    """The same after rows are dropped, swapped and duplicated, as in a beam."""
    decoding = Decoding(student, rng, norm_first=True).start()
    prefixes = torch.full((3, 1), 2)
    for rows in ([0, 0, 1, 1, 2, 2], [1, 0, 3, 3, 5, 4], [3, 2, 5, 5], [1, 0, 2, 2], [3, 0]):
        found = decoding.advance(prefixes)
        decoding.compare(found, prefixes, f"log probabilities of {len(prefixes)} rows")
        rows = torch.tensor(rows)
        decoding.reorder(rows)
        prefixes = grown(rng, prefixes[rows])


@exercise("4.19", after=["start_cache", "cached_layer"])
def test_several_new_tokens(student, rng):
    """Several new tokens are read at once, and none sees a later one."""
    decoding = Decoding(student, rng).start()
    whole = torch.full((3, 1), 2)
    for _ in range(6):
        whole = grown(rng, whole)
    for length in (3, 4, 7):
        prefixes = whole[:, :length]
        found = decoding.advance(prefixes)
        decoding.compare(found, prefixes, f"log probabilities after {length} tokens")


@exercise("4.19", weight=0.5, after=["start_cache", "cached_layer"])
def test_padding_in_a_prefix(student, rng):
    """A padding token in a prefix stays masked, as without a cache."""
    decoding = Decoding(student, rng).start()
    prefixes = torch.tensor([[2, 5, 0, 7, 4], [2, 0, 8, 9, 6], [2, 4, 5, 6, 0]])
    for length in range(2, 6):  # start with two: a single new token would hide a missing mask
        found = decoding.advance(prefixes[:, :length])
        decoding.compare(found, prefixes[:, :length], f"log probabilities after {length} tokens")


@exercise("4.19", weight=0.5, after=["start_cache", "cached_layer"])
def test_nothing_new(student, rng):
    """Prefixes that have not grown raise a ValueError."""
    decoding = Decoding(student, rng).start()
    prefixes = grown(rng, torch.full((3, 1), 2))
    decoding.advance(prefixes)
    grew = decoding.held() == 2
    for length in (2, 1):
        expect.raises(
            lambda length=length: decoding.step(prefixes[:, :length], decoding.cache),
            because="prefixes that have not grown are accepted: without a new token there is "
            "nothing to read"
            if grew
            else "",
            otherwise=MISTAKE.cached_step_nothing_new_allowed,
            read=READ,
        )
