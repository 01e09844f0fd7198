"""Word alignments, extracted from cross-attention weights."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes


def word_weights(
    weights: Float[np.ndarray, "n_heads n_target n_source"],
    target_words: Sequence[int],
    source_words: Sequence[int],
) -> Float[np.ndarray, "target_words source_words"]:
    """Attention between words, from one layer's attention between tokens, averaged over heads.

    `target_words[i]` is the index of the word that target token i belongs to, from 0, or −1 for a
    token outside any word, such as the end token; `source_words` likewise. Weights are summed over
    the tokens of a source word and averaged over the tokens of a target word, whose weights each
    sum to 1. Raises ValueError when a list is not as long as its axis.
    """
    n_target, n_source = np.shape(weights)[-2:]
    if (n_target, n_source) != (len(target_words), len(source_words)):
        raise ValueError(
            f"weights for {n_target} and {n_source} tokens, but words of {len(target_words)} and "
            f"{len(source_words)}: give one number per token"
        )
    between = np.asarray(weights).mean(axis=0)
    found = np.zeros((max(target_words) + 1, max(source_words) + 1))
    tokens_of = np.bincount([word for word in target_words if word >= 0])
    for i, target in enumerate(target_words):
        for j, source in enumerate(source_words):
            if target >= 0 and source >= 0:
                found[target, source] += between[i, j] / tokens_of[target]
    return found


def alignment_links(
    weights: Float[np.ndarray, "target_words source_words"], share: float = 0.5
) -> set[tuple[int, int]]:
    """Links (source word, target word): each target word to the source words it attends to most.

    A link needs at least `share` of the target word's largest weight, so the largest is always
    linked. A target word with only zero weights has no link.
    """
    best = weights.max(axis=1, keepdims=True)
    targets, sources = np.nonzero((weights >= share * best) & (best > 0))
    return set(zip(sources.tolist(), targets.tolist(), strict=True))


def plot_alignment(
    weights: Float[np.ndarray, "target_words source_words"],
    source: Sequence[str],
    target: Sequence[str],
    ax: Axes | None = None,
) -> Axes:
    """Heat map of word weights: a row for each target word, a column for each source word.

    The color scale is 0 to 1. Draws into `ax`, or into a new figure. Raises ValueError when
    `weights` is not target words × source words. Paper: Appendix, Figures 3-5, for attention
    within one sentence.
    """
    expected = (len(target), len(source))
    if np.shape(weights) != expected:
        raise ValueError(
            f"weights of shape {np.shape(weights)} for {expected[0]} target and {expected[1]} "
            f"source words: give shape {expected}"
        )
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    image = ax.imshow(weights, cmap="viridis", vmin=0, vmax=1)
    ax.figure.colorbar(image, ax=ax, label="weight")
    ax.set_xticks(range(expected[1]), labels=list(source), rotation=45)
    ax.set_yticks(range(expected[0]), labels=list(target))
    ax.set(title="Alignment", xlabel="source word", ylabel="target word")
    return ax
