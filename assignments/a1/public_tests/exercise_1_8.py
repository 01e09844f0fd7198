"""The visible checks of exercise 1.8: equivariance under permutation."""

import numpy as np

from grader.checking.question import question

ADVICE = "compare function(x[permutation]) with function(x)[permutation], over tokens and features"
SUM = "lambda x: np.cumsum(x, axis=0)"


def _gap(its, function, tokens, permutation):
    return its.equivariance_gap(its.make(function), np.array(tokens), np.array(permutation))


@question("1.8", advice=ADVICE, read="exercise 1.8")
def test_a_function_of_single_tokens(its):
    """A function that treats each token separately has no gap."""
    return _gap(its, "np.tanh", [[-1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.0]], [1, 2, 3, 0])


@question("1.8", weight=2, advice=ADVICE, read="exercise 1.8, the trap")
def test_three_in_a_circle(its):
    """A running sum depends on the order; token i of the permuted input is x[permutation[i]]."""
    cat_ate_mouse = _gap(its, SUM, [[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]], [2, 1, 0])
    circle = _gap(its, SUM, [[-1.0], [-2.0], [-9.0]], [1, 2, 0])
    return {"gap of “cat ate mouse” and back": cat_ate_mouse, "gap of a circle": circle}
