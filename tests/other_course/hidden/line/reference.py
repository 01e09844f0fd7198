"""Right forms of the functions, for reruns and for expected values."""

import numpy as np


def fit_line(x, y):
    slope, intercept = np.polyfit(x, y, 1)
    return float(slope), float(intercept)
