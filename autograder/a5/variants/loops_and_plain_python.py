"""Style: loops or chained generators, lists in place of tuples, torch's generator for a draw."""

import math
import statistics
from itertools import chain, product

import torch
from scipy import stats


def mean_interval(values, level=0.95):
    if not values:
        raise ValueError("no values")
    mean = statistics.fmean(values)
    if len(values) == 1:
        return [mean, -math.inf, math.inf]
    half = stats.t(len(values) - 1).ppf(1 - (1 - level) / 2)
    half *= statistics.stdev(values) / len(values) ** 0.5
    return [mean, mean - half, mean + half]


def pooled_noise(groups):
    squares = 0.0
    degrees = 0
    for group in groups:
        if len(group) > 1:
            mean = statistics.fmean(group)
            for value in group:
                squares += (value - mean) ** 2
            degrees += len(group) - 1
    if degrees == 0:
        raise ValueError("no group has two values")
    return (squares / degrees) ** 0.5, degrees


def one_at_a_time(default, factors):
    wrong = [factor for factor in factors if default.get(factor) not in set(factors[factor])]
    if wrong:
        raise ValueError(f"not a level: {wrong}")
    others = (
        {**default, factor: level}
        for factor, level in chain.from_iterable(
            ((factor, level) for level in levels) for factor, levels in factors.items()
        )
        if default[factor] != level
    )
    return [{**default}, *others]


def sampled_design(factors, n, seed, taken=()):
    every = (dict(zip(factors, levels, strict=True)) for levels in product(*factors.values()))
    left = [one for one in every if one not in tuple(taken)]
    generator = torch.Generator().manual_seed(seed)
    if n > len(left):
        raise ValueError(f"{len(left)} combinations are left, not {n}")
    return [left[place] for place in torch.randperm(len(left), generator=generator)[:n].tolist()]
