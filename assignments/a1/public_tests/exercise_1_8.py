"""The visible checks of exercise 1.8: equivariance under permutation."""

import numpy as np

from grader.checking.question import question

ADVICE = "compare function(x[permutation]) with function(x)[permutation], over tokens and features"
SUM = "lambda x: np.cumsum(x, axis=0)"


def _gap(its, function, tokens, permutation):
    return its.equivariance_gap(its.make(function), np.array(tokens), np.array(permutation))


@question("1.8", advice=ADVICE, read="exercise 1.8")
def test_cat_and_mouse(its):
    """A running sum over "cat ate mouse" depends on the order: its gap is 2."""
    return _gap(its, SUM, [[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]], [2, 1, 0])


@question("1.8", advice=ADVICE, read="exercise 1.8")
def test_a_function_of_single_tokens(its):
    """A function that treats each token separately has no gap."""
    return _gap(its, "np.tanh", [[-1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.0]], [1, 2, 3, 0])


@question("1.8", advice=ADVICE, read="exercise 1.8, the trap")
def test_three_in_a_circle(its):
    """Token i of the permuted input is x[permutation[i]], not the other way round."""
    return _gap(its, SUM, [[-1.0], [-2.0], [-9.0]], [1, 2, 0])
