"""With the normal equations, as matrices."""

import numpy as np


def fit_line(x, y):
    design = np.stack([x, np.ones_like(x)], axis=1)
    slope, intercept = np.linalg.solve(design.T @ design, design.T @ y)
    return float(slope), float(intercept)
