"""Style: chained generators, torch's generator for a draw, a table of exceptions."""

import math
from itertools import chain, product

import torch
from scipy.stats import t


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


_STATUS = {
    FloatingPointError: "diverged",
    MemoryError: "out of memory",
    torch.OutOfMemoryError: "out of memory",
    TimeoutError: "timed out",
}


def attempt(trial):
    try:
        return dict(trial(), status="complete")
    except tuple(_STATUS) as error:
        status = next(status for kind, status in _STATUS.items() if isinstance(error, kind))
        return {"status": status, "reason": str(error)}


def detectable_difference(s, degrees, n_seeds, level=0.95):
    quantile = float(t.ppf(0.5 + level / 2, df=degrees))
    return quantile * math.hypot(s / math.sqrt(n_seeds), s / math.sqrt(n_seeds))
