"""A small space for the tests of exercise 5.1, its right design, and how an answer is read."""

from itertools import product

import numpy as np

from grader.checking import expect

READ = "the docstrings of 5.1"
FACTORS = {
    "width": [64, 16, 32],
    "rate": [0.5, 0.0, 0.25],
    "shape": ["flat", "round"],
    "bias": [True],
}
DEFAULT = {"rate": 0.25, "width": 16, "shape": "round", "bias": True, "epochs": 4}


def key(configuration):
    return tuple(sorted((name, repr(level)) for name, level in configuration.items()))


def every_combination(factors):
    return [dict(zip(factors, levels, strict=True)) for levels in product(*factors.values())]


def configurations(value, n=None):
    """The answer, checked to be a list of dictionaries, `n` of them."""
    good = isinstance(value, list) and all(isinstance(one, dict) for one in value)
    expect.true(
        good,
        expected="a list of configurations, each a dictionary",
        got=expect.show(value) if isinstance(value, np.ndarray) else repr(value)[:120],
        otherwise="collect the dictionaries in a list and return it",
        read=READ,
    )
    if n is not None:
        expect.equal(len(value), n, what="the number of configurations", read=READ)
    return value


def right_design(default, factors, start=True):
    design = [dict(default)] if start else []
    for factor, levels in factors.items():
        design += [{**default, factor: level} for level in levels if level != default[factor]]
    return design


def cumulative(default, factors):
    """Each factor stays at its last level while the next one is varied."""
    design, now = [dict(default)], dict(default)
    for factor, levels in factors.items():
        for level in levels:
            if level != default[factor]:
                now = {**now, factor: level}
                design.append(now)
    return design
