"""Hidden tests of exercise 0.3: those of exercise 2.3."""

from autograder.a2.exercise_2_3 import test_2_3_multi_head as of_a2
from autograder.exam.asked_again import asked_again

test_injected_weights = asked_again("0.3", of_a2.test_injected_weights, weight=3)
test_masks = asked_again("0.3", of_a2.test_masks, weight=2)
