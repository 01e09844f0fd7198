"""Hidden tests of exercise 0.2: those of exercise 2.2."""

from autograder.a2.exercise_2_2 import test_2_2_heads as of_a2
from autograder.exam.asked_again import asked_again

test_split_numbered_elements = asked_again("0.2", of_a2.test_split_numbered_elements, weight=4)
