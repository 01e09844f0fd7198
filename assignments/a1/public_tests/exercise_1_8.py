"""The visible checks of exercise 1.8: equivariance under permutation."""

import numpy as np

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


@exercise("1.8")
def test_cat_and_mouse(student):
    """A running sum over "cat ate mouse" depends on the order: its gap is 2."""
    x = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]])
    gap = student.equivariance_gap(
        student.make("lambda x: np.cumsum(x, axis=0)"), x, np.array([2, 1, 0])
    )
    expect.close(
        gap, 2.0,
        otherwise="compare function(x[permutation]) with function(x)[permutation]",
        read="exercise 1.8",
    )


@exercise("1.8")
def test_a_function_of_single_tokens(student):
    """A function that treats each token separately has no gap."""
    x = np.array([[-1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.0]])
    circle = np.array([1, 2, 3, 0])  # of four: the two mistakes below give different gaps
    gap = student.equivariance_gap(student.make("np.tanh"), x, circle)
    ahead, back = np.tanh(x[circle]), np.tanh(x)[np.argsort(circle)]
    expect.close(
        gap, 0.0,
        otherwise="permute the input and the output with the same permutation, not its inverse",
        read="exercise 1.8",
    )


@exercise("1.8")
def test_three_in_a_circle(student):
    """Token i of the permuted input is x[permutation[i]], not the other way round."""
    x, circle = np.array([[1.0], [2.0], [9.0]]), np.array([1, 2, 0])
    gap = student.equivariance_gap(student.make("lambda x: np.cumsum(x, axis=0)"), x, circle)
    back = np.argsort(circle)
    expect.close(
        gap, 11.0,
        otherwise="compare function(x[permutation]) with function(x)[permutation]",
        read="exercise 1.8, the trap",
    )
