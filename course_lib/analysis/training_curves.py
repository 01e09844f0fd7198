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
    with "step" and "validation_accuracy" (0 to 1) for every evaluation. The raw losses, labeled
    "training loss", are thin and pale (alpha at most 0.5) behind a wider line, "smoothed": at each
    step the mean of the last 20 losses, or of those that there are. `fill_between` draws a band of
    ± one standard error around the accuracy, that of a proportion of `n_validation` sentences; its
    line is labeled "validation accuracy". Draws into `axes`, or into a new figure.
    """
    if axes is None:
        _, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    left, right = axes
    trained = [row for row in history if "loss" in row]
    steps = [row["step"] for row in trained]
    losses = [row["loss"] for row in trained]
    recent = [losses[max(0, end - 20) : end] for end in range(1, len(losses) + 1)]
    means = [float(np.mean(some)) for some in recent]
    colour = plt.get_cmap("viridis")(0.4)
    left.plot(steps, losses, label="training loss", color=colour, linewidth=0.8, alpha=0.35)
    left.plot(steps, means, label="smoothed", color=colour, linewidth=1.8)
    left.legend()
    left.set(title="Training loss", xlabel="step", ylabel="loss")

    looks = [row for row in history if "validation_accuracy" in row]
    seen = [row["step"] for row in looks]
    share = np.array([row["validation_accuracy"] for row in looks])
    error = np.sqrt(share * (1 - share)) / math.sqrt(n_validation)
    colour = plt.get_cmap("viridis")(0.1)
    right.plot(seen, 100 * share, "o-", label="validation accuracy", color=colour)
    right.fill_between(
        seen, 100 * (share - error), 100 * (share + error), alpha=0.25, color=colour, linewidth=0
    )
    right.set(title="Validation accuracy", xlabel="step", ylabel="accuracy (%)")
    return left, right
