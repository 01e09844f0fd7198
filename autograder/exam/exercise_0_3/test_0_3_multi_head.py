"""Hidden tests of exercise 0.3: those of exercise 2.3."""

from autograder.a2.exercise_2_3 import test_2_3_multi_head as of_a2
from grader.checking.exercise import exercise


@exercise("0.3", weight=2)
def test_injected_weights(student, rng):
    """With known weights, output and attention weights follow the paper, for 1, 2 and 4 heads."""
    of_a2.test_injected_weights(student, rng)


@exercise("0.3")
def test_cross_lengths(student, rng):
    """Queries of one sequence attend to keys and values of another length."""
    of_a2.test_cross_lengths(student, rng)


@exercise("0.3", weight=2)
def test_masks(student, rng):
    """Causal, padding and per-head masks (True = may attend) are applied in every head."""
    of_a2.test_masks(student, rng)


@exercise("0.3")
def test_weights_only_when_asked_for(student, rng):
    """`need_weights` selects between the weights of every head and None."""
    of_a2.test_weights_only_when_asked_for(student, rng)
