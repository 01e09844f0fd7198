"""Right forms of the functions, for reruns and for the answers to questions."""

import numpy as np


def fit_line(x, y):
    slope = np.cov(x, y)[0, 1] / np.var(x, ddof=1)
    return float(slope), float(np.mean(y) - slope * np.mean(x))


def explained(x, y):
    return float(np.corrcoef(x, y)[0, 1] ** 2)
