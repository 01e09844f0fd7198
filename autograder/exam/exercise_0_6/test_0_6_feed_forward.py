"""The hidden test of exercise 0.6: a part counts when it is mended and nothing else is broken."""

from autograder.a3.exercise_3_4 import test_3_4_feed_forward as of_a3
from grader.checking.question import question


@question("0.6", advice="w_2(relu(w_1(x)))", read="§3.3, Eq. 2")
def test_repaired(its, rng):
    """The feed-forward network has its ReLU between the two layers."""
    return of_a3.test_values(its, rng)
