"""The hidden test of exercise 0.6: a part counts when it is mended and nothing else is broken."""

from autograder.a3.exercise_3_4 import test_3_4_feed_forward as of_a3
from autograder.exam.asked_again import asked_again

TITLE = "The feed-forward network has its ReLU between the two layers."
test_repaired = asked_again("0.6", of_a3.test_values, title=TITLE)
