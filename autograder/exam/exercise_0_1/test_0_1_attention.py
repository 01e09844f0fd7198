"""Hidden tests of exercise 0.1: those of exercise 2.1."""

from autograder.a2.exercise_2_1 import test_2_1_attention as of_a2
<<<<<<< HEAD
from autograder.exam.asked_again import asked_again

test_agrees_with_the_fused_form = asked_again(
    "0.1", of_a2.test_agrees_with_the_fused_form, weight=2
)
test_mask = asked_again("0.1", of_a2.test_mask, weight=2)
test_row_without_keys = asked_again("0.1", of_a2.test_row_without_keys)
test_gradients_of_a_row_without_keys = asked_again(
    "0.1", of_a2.test_gradients_of_a_row_without_keys
)
test_dropout = asked_again("0.1", of_a2.test_dropout)
=======
from grader.checking.question import question


@question("0.1", weight=2)
def test_agrees_with_the_fused_form(its, rng):
    """Weights and output are those of Eq. 1, for any leading axes."""
    return of_a2.test_agrees_with_the_fused_form(its, rng)


@question("0.1", weight=2)
def test_mask(its, rng):
    """True = may attend; the mask broadcasts over batch and heads."""
    return of_a2.test_mask(its, rng)


@question("0.1")
def test_row_without_keys(its, rng):
    """A query whose keys are all masked gets zero weights and a zero output."""
    return of_a2.test_row_without_keys(its, rng)


@question("0.1")
def test_gradients_of_a_row_without_keys(its, rng):
    """A query without keys does not spoil the gradients."""
    return of_a2.test_gradients_of_a_row_without_keys(its, rng)


@question("0.1")
def test_dropout(its, rng):
    """Dropout is applied to the weights that multiply the values, not to the returned ones."""
    return of_a2.test_dropout(its, rng)
>>>>>>> c2
