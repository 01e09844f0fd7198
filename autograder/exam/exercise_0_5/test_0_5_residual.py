"""The hidden test of exercise 0.5: a part counts when it is mended and nothing else is broken."""

from autograder.a2.exercise_2_6 import test_2_6_residual as of_a2
from grader.checking.exercise import exercise


@exercise("0.5")
def test_repaired(student, rng):
    """The residual connection adds x itself in pre-norm order, and post-norm is as it was."""
    of_a2.test_pre_norm(student, rng)
    of_a2.test_post_norm(student, rng)
