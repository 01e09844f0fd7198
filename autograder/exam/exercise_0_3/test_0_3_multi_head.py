"""Hidden tests of exercise 0.3: those of exercise 2.3."""

from autograder.a2.exercise_2_3 import test_2_3_multi_head as of_a2
<<<<<<< HEAD
from autograder.exam.asked_again import asked_again

test_injected_weights = asked_again("0.3", of_a2.test_injected_weights, weight=2)
test_cross_lengths = asked_again("0.3", of_a2.test_cross_lengths)
test_masks = asked_again("0.3", of_a2.test_masks, weight=2)
test_weights_only_when_asked_for = asked_again("0.3", of_a2.test_weights_only_when_asked_for)
=======
from grader.checking.question import question


@question("0.3", weight=2)
def test_injected_weights(its, rng):
    """With known weights, output and attention weights follow the paper, for 1, 2 and 4 heads."""
    return of_a2.test_injected_weights(its, rng)


@question("0.3")
def test_cross_lengths(its, rng):
    """Queries of one sequence attend to keys and values of another length."""
    return of_a2.test_cross_lengths(its, rng)


@question("0.3", weight=2)
def test_masks(its, rng):
    """Causal, padding and per-head masks (True = may attend) are applied in every head."""
    return of_a2.test_masks(its, rng)


@question("0.3")
def test_weights_only_when_asked_for(its, rng):
    """`need_weights` selects between the weights of every head and None."""
    return of_a2.test_weights_only_when_asked_for(its, rng)
>>>>>>> c2
