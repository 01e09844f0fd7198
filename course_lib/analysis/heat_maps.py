"""Heat maps of attention weights; each function returns its matplotlib Axes."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Bool, Float
from matplotlib.axes import Axes


def plot_attention(
    weights: Float[np.ndarray, "n n"],
    tokens: Sequence[str],
    mask: Bool[np.ndarray, "..."] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Heat map of one head's weights: queries are rows, keys columns; returns the Axes.

    Every token labels its row and its column. The color scale is always 0 to 1, so that maps can
    be compared. Cells that `mask` (True = may attend) excludes are masked in the image, which
    distinguishes "forbidden" from "almost zero".
    Draws into `ax`, or into a new figure. Raises ValueError when `weights` is not tokens × tokens.
    Paper: Appendix, Figures 3-5, which show the same weights as lines.
    """
    n = len(tokens)
    if np.shape(weights) != (n, n):
        raise ValueError(
            f"weights of shape {np.shape(weights)} do not fit {n} tokens: give shape {(n, n)}"
        )
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    hidden = np.zeros((n, n), dtype=bool) if mask is None else ~np.broadcast_to(mask, (n, n))
    colours = plt.get_cmap("viridis").with_extremes(bad="lightgrey")
    image = ax.imshow(np.ma.masked_array(weights, hidden), cmap=colours, vmin=0, vmax=1)
    ax.figure.colorbar(image, ax=ax, label="weight")
    ax.set_xticks(range(n), labels=list(tokens), rotation=45)
    ax.set_yticks(range(n), labels=list(tokens))
    ax.set_xlabel("key: attended to")
    ax.set_ylabel("query: attends")
    ax.set_title("Attention weights")
    return ax


def plot_heads(weights: Float[np.ndarray, "n_heads n_q n_k"], tokens: Sequence[str]) -> list[Axes]:
    """One heat map per head, side by side, colors from 0 to 1; returns their Axes in order.

    Queries are rows, keys columns; `weights` is an array or a tensor without gradients. Every map
    is titled with its head's number, from 0, and labeled with the tokens. Raises ValueError when
    `weights` is not heads × tokens × tokens.
    Paper: Appendix, Figure 5, whose two heads "clearly learned to perform different tasks".
    """
    maps, n = np.asarray(weights), len(tokens)
    if maps.ndim != 3 or maps.shape[1:] != (n, n):
        raise ValueError(f"weights {maps.shape} do not fit {n} tokens: give (n_heads, {n}, {n})")
    columns = min(len(maps), 4)
    rows = -(-len(maps) // columns)
    figure, grid = plt.subplots(
        rows, columns, squeeze=False, layout="constrained", figsize=(3 * columns, 3 * rows)
    )
    for ax in grid.flat[len(maps) :]:
        ax.remove()
    axes = list(grid.flat[: len(maps)])
    for head, (ax, one) in enumerate(zip(axes, maps, strict=True)):
        image = ax.imshow(one, cmap="viridis", vmin=0, vmax=1)
        ax.set_xticks(range(n), labels=list(tokens), rotation=45)
        ax.set_yticks(range(n), labels=list(tokens))
        ax.set(title=f"head {head}", xlabel="key: attended to", ylabel="query: attends")
    figure.colorbar(image, ax=axes, label="weight")
    return axes
