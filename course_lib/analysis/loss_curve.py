"""The loss of every step, pale, and in front of it the mean of the last few."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes


def plot_loss(
    ax: Axes, losses: Sequence[float], line: str = "-", label: str | None = None, over: int = 20
) -> None:
    """Draw `losses`, one a step from step 1 on, and at each step the mean of the last `over`.

    The mean is drawn as `line` and has the `label`; it begins at the first step that has `over`
    losses, so a shorter training shows its raw losses only.
    """
    (raw,) = ax.plot(range(1, len(losses) + 1), losses, linewidth=0.8, alpha=0.35)
    enough = len(losses) >= over
    means = np.convolve(losses, np.full(over, 1 / over), "valid") if enough else np.empty(0)
    steps = range(over, over + len(means))
    ax.plot(steps, means, line, color=raw.get_color(), linewidth=1.8, label=label)
