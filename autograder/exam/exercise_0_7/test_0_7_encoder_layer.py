"""The hidden test of exercise 0.7: a part counts when it is mended and nothing else is broken."""

from autograder.a3.exercise_3_5 import test_3_5_encoder as of_a3
from autograder.exam.asked_again import asked_again

TITLE = "The mask reaches the attention, and the layer computes what it did without one."
test_repaired = asked_again("0.7", of_a3.test_post_norm, title=TITLE)
