"""Which configurations a study tries: one factor at a time, and some at random.

Paper statement R75 (lectures/paper_audit.md).
"""

from collections.abc import Collection
from math import prod

import numpy as np

from .space import Configuration, Factors


def one_at_a_time(default: Configuration, factors: Factors) -> list[Configuration]:
    """The default, then every configuration that differs from it in exactly one factor.

    They come in the order of the factors and of their levels. Raises ValueError for a factor that
    the default does not set, and for a default whose level is not among the factor's.
    """
    design = [dict(default)]
    for factor, levels in factors.items():
        if default.get(factor) not in levels:
            raise ValueError(
                f"the default has {factor} = {default.get(factor)!r}, which is not one of its "
                f"levels {tuple(levels)}: add it to them"
            )
        design += [{**default, factor: level} for level in levels if level != default[factor]]
    return design


def sampled_design(
    factors: Factors, n: int, seed: int, taken: Collection[Configuration] = ()
) -> list[Configuration]:
    """`n` different configurations drawn at random from all combinations, none of them in `taken`.

    Every combination that is left is equally likely, and the same seed draws the same ones. Only
    they can show interactions: one factor at a time never changes two together. Raises ValueError
    when fewer than `n` combinations are left.
    """
    n_combinations = prod(len(levels) for levels in factors.values())
    rng = np.random.default_rng(seed)
    chosen: list[Configuration] = []
    for number in rng.permutation(n_combinations).tolist():
        if len(chosen) == n:
            break
        configuration = {}
        for factor, levels in factors.items():
            number, place = divmod(number, len(levels))
            configuration[factor] = levels[place]
        if configuration not in taken:
            chosen.append(configuration)
    if len(chosen) < n:
        raise ValueError(
            f"only {len(chosen)} of {n_combinations} combinations are left, and {n} were asked for"
        )
    return chosen
