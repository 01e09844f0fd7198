"""Right forms of the functions, for reruns and for the answers to questions."""

import numpy as np


def fit_line(x, y):
    slope, intercept = np.polyfit(x, y, 1)
    return float(slope), float(intercept)


def explained(x, y):
    return float(np.corrcoef(x, y)[0, 1] ** 2)
