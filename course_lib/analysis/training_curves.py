"""Training curves: the loss of every step, the validation accuracy of every evaluation."""

import math
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes


def plot_curves(
    history: Sequence[dict[str, float]],
    n_validation: int = 872,
    axes: Sequence[Axes] | None = None,
) -> tuple[Axes, Axes]:
    """Training loss on the left, validation accuracy in percent on the right; both over steps.

    `history` is what `fit` returns, in order: a row with "step" and "loss" for every step, a row
    with "step" and "validation_accuracy" (0 to 1) for every evaluation. The losses are not
    smoothed; `fill_between` draws a band of ± one standard error around the accuracy, that of a
    proportion of `n_validation` sentences. The lines are labeled "training loss" and "validation
    accuracy". Draws into `axes`, or into a new figure.
    """
    if axes is None:
        _, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    left, right = axes
    trained = [row for row in history if "loss" in row]
    left.plot(
        [row["step"] for row in trained],
        [row["loss"] for row in trained],
        label="training loss",
        color=plt.get_cmap("viridis")(0.4),
        linewidth=0.8,
    )
    left.set(title="Training loss", xlabel="step", ylabel="loss")

    looks = [row for row in history if "validation_accuracy" in row]
    steps = [row["step"] for row in looks]
    share = np.array([row["validation_accuracy"] for row in looks])
    error = np.sqrt(share * (1 - share)) / math.sqrt(n_validation)
    colour = plt.get_cmap("viridis")(0.1)
    right.plot(steps, 100 * share, "o-", label="validation accuracy", color=colour)
    right.fill_between(
        steps, 100 * (share - error), 100 * (share + error), alpha=0.25, color=colour, linewidth=0
    )
    right.set(title="Validation accuracy", xlabel="step", ylabel="accuracy (%)")
    return left, right
