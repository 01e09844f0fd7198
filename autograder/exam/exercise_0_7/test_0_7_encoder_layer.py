"""The hidden test of exercise 0.7: a part counts when it is mended and nothing else is broken."""

from autograder.a3.exercise_3_5 import test_3_5_encoder_layer as of_a3
from grader.checking.exercise import exercise


@exercise("0.7")
def test_repaired(student, rng):
    """The mask reaches the attention, and the layer computes what it did without one."""
    of_a3.test_mask(student, rng)
    of_a3.test_post_norm(student, rng)
    of_a3.test_weights_only_when_asked_for(student, rng)
