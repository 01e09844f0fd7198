"""The hidden test of exercise 0.5: a part counts when it is mended and nothing else is broken."""

from autograder.a2.exercise_2_6 import test_2_6_residual as of_a2
from autograder.exam.asked_again import asked_again

TITLE = "The residual connection adds x itself in pre-norm order, and post-norm is as it was."
test_repaired = asked_again("0.5", of_a2.test_gradients, title=TITLE)
