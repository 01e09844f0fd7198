"""The hidden test of exercise 0.4: a part counts when it is mended and nothing else is broken."""

from autograder.a2.exercise_2_5 import test_2_5_layer_norm as of_a2
from autograder.exam.asked_again import asked_again

TITLE = "Layer normalization is that of the paper, and its parameters work."
TESTS = (of_a2.test_variance_and_epsilon, of_a2.test_gradients)
test_repaired = asked_again("0.4", *TESTS, title=TITLE)
