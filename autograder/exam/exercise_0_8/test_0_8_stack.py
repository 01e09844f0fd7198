"""The hidden test of exercise 0.8: a part counts when it is mended and nothing else is broken."""

from autograder.a3.exercise_3_5 import test_3_5_encoder as of_a3
from autograder.exam.asked_again import asked_again

TITLE = "Every layer reads the layer below, and mask and weights are passed on."
test_repaired = asked_again("0.8", of_a3.test_stack, title=TITLE)
