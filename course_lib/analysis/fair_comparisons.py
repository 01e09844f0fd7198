"""Fair comparisons: pre-norm against post-norm, and training sets of different sizes.

Paper statement R5 (lectures/paper_audit.md).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Int
from torch import nn


def compare_norms(
    build: Callable[[bool, int], nn.Module],
    train: Callable[[nn.Module, int], dict[str, Any]],
    seeds: Sequence[int],
) -> list[dict[str, float | int | str]]:
    """Train post- and pre-norm models from the same seeds; returns one row for each run.

    `build(norm_first, seed)` gives a fresh model, `train(model, seed)` trains it and returns
    `{"loss": …, "gradient_norms": [one per layer, first layer first]}`. A row is `{"norm", "seed",
    "loss", "gradient_norm_first_layer", "gradient_norm_last_layer"}`; norm is "post" (§3.1) or
    "pre". Raises ValueError for fewer than three different seeds, which cannot show the noise.
    """
    if len(set(seeds)) < 3:
        raise ValueError(f"{len(set(seeds))} different seeds: give at least 3, to see the noise")
    rows: list[dict[str, float | int | str]] = []
    for seed in seeds:
        # §3.1 — LayerNorm(x + Sublayer(x)) is "post"
        for norm, norm_first in (("post", False), ("pre", True)):
            result = train(build(norm_first, seed), seed)
            rows.append(
                {
                    "norm": norm,
                    "seed": seed,
                    "loss": result["loss"],
                    "gradient_norm_first_layer": result["gradient_norms"][0],
                    "gradient_norm_last_layer": result["gradient_norms"][-1],
                }
            )
    return rows


def nested_subsets(
    labels: Sequence[int], fractions: Sequence[float], rng: np.random.Generator
) -> list[Int[np.ndarray, "n"]]:
    """Random subsets of the examples, as sorted indices: one per fraction, in the order given.

    Every class keeps its share, rounded, and at least one example. Smaller subsets are contained
    in larger ones, so that a curve over the fractions shows the effect of size alone; fraction 1 is
    all examples. Raises ValueError for a fraction outside (0, 1].
    """
    for fraction in fractions:
        if not 0 < fraction <= 1:
            raise ValueError(f"fraction {fraction}: it must be above 0 and at most 1")
    classes = np.asarray(labels)
    shuffled = [rng.permutation(np.flatnonzero(classes == label)) for label in np.unique(classes)]
    return [
        np.sort(np.concatenate([own[: max(1, round(fraction * len(own)))] for own in shuffled]))
        for fraction in fractions
    ]
