"""Hidden tests of exercise 0.2: those of exercise 2.2."""

from autograder.a2.exercise_2_2 import test_2_2_heads as of_a2
<<<<<<< HEAD
from autograder.exam.asked_again import asked_again

test_split_numbered_elements = asked_again("0.2", of_a2.test_split_numbered_elements, weight=2)
test_merge_numbered_elements = asked_again("0.2", of_a2.test_merge_numbered_elements, weight=2)
test_indivisible_width = asked_again(
    "0.2", of_a2.test_indivisible_width, beside=["test_split_numbered_elements"]
)
=======
from grader.checking.question import question, refusal


@question("0.2", weight=2)
def test_split_numbered_elements(its):
    """Head i of `split_heads` owns features i·d_k … (i+1)·d_k of every token."""
    return of_a2.test_split_numbered_elements(its)


@question("0.2", weight=2)
def test_merge_numbered_elements(its):
    """`merge_heads` concatenates the heads of each token, head 0 first."""
    return of_a2.test_merge_numbered_elements(its)


@question("0.2", beside=["test_split_numbered_elements"])
def test_indivisible_width(its):
    """A width that is not divisible by n_heads raises a ValueError."""
    return refusal(lambda: its.split_heads(of_a2.numbered(2, 5, 8), 3))
>>>>>>> c2
