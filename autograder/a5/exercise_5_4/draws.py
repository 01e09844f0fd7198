"""Values and quantiles that the tests of exercise 5.4 share."""

import numpy as np
from scipy import stats

READ = "the docstring of 5.4"


def t(level, degrees):
    return float(stats.t.ppf((1 + level) / 2, df=degrees))


def values_of(rng, n, centre=80.0, spread=6.0):
    return [float(value) for value in np.round(centre + spread * rng.normal(size=n), 2)]
