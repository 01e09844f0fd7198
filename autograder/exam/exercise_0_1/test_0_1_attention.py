"""Hidden tests of exercise 0.1: those of exercise 2.1."""

from functools import partial

from autograder.a2.exercise_2_1 import test_2_1_attention as of_a2
from autograder.exam.asked_again import asked_again

again = partial(asked_again, "0.1")
test_shapes_and_dtypes = again(of_a2.test_shapes_and_dtypes, weight=2)
test_mask = again(of_a2.test_mask, weight=2)
test_row_without_keys = again(of_a2.test_row_without_keys, weight=2)
test_dropout = again(of_a2.test_dropout)
