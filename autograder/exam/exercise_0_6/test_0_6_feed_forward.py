"""The hidden test of exercise 0.6: a part counts when it is mended and nothing else is broken."""

from autograder.a3.exercise_3_4 import test_3_4_feed_forward as of_a3
from grader.checking.exercise import exercise


@exercise("0.6")
def test_repaired(student, rng):
    """The feed-forward network has its ReLU between the two layers."""
    of_a3.test_values(student, rng)
    of_a3.test_every_position_alone(student, rng)
