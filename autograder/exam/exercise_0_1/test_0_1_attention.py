"""Hidden tests of exercise 0.1: those of exercise 2.1."""

from autograder.a2.exercise_2_1 import test_2_1_attention as of_a2
from grader.checking.exercise import exercise


@exercise("0.1", weight=2)
def test_agrees_with_the_fused_form(student, rng):
    """Weights and output are those of Eq. 1, for any leading axes."""
    of_a2.test_agrees_with_the_fused_form(student, rng)


@exercise("0.1", weight=2)
def test_mask(student, rng):
    """True = may attend; the mask broadcasts over batch and heads."""
    of_a2.test_mask(student, rng)


@exercise("0.1")
def test_row_without_keys(student, rng):
    """A query whose keys are all masked gets zero weights and a zero output."""
    of_a2.test_row_without_keys(student, rng)


@exercise("0.1")
def test_gradients_of_a_row_without_keys(student, rng):
    """A query without keys does not spoil the gradients."""
    of_a2.test_gradients_of_a_row_without_keys(student, rng)


@exercise("0.1")
def test_dropout(student, rng):
    """Dropout is applied to the weights that multiply the values, not to the returned ones."""
    of_a2.test_dropout(student, rng)
