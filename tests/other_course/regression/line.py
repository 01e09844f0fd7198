"""The line of least squares through points."""

import numpy as np


def fit_line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """`(slope, intercept)` of the line with the least sum of squared vertical distances."""
    x_mean, y_mean = np.mean(x), np.mean(y)
    slope = np.sum((x - x_mean) * (y - y_mean)) / np.sum((x - x_mean) ** 2)
    return float(slope), float(y_mean - slope * x_mean)


def explained(x: np.ndarray, y: np.ndarray) -> float:
    """The share of the variance of `y` that the line explains: R²."""
    slope, intercept = fit_line(x, y)
    residuals = y - (slope * x + intercept)
    return float(1 - np.sum(residuals**2) / np.sum((y - np.mean(y)) ** 2))
