"""Short reviews whose words decide, and classifiers trained on them by a notebook's own code."""

from __future__ import annotations

import numpy as np
import own_notebooks

from grader.judge.models.scorer import HiddenLabels

GOOD, BAD = "warm clever moving rich".split(), "dull flat empty loud".split()


def reviews(count: int, seed: int) -> HiddenLabels:
    """Up to fourteen words, of which most that decide agree with the label."""
    rng = np.random.default_rng(seed)
    plain = [f"word{number}" for number in range(40)]
    labels = tuple(int(label) for label in rng.integers(2, size=count))
    texts = []
    for label in labels:
        sides = rng.random(rng.integers(1, 4)) < (0.85 if label else 0.15)
        telling = [str(rng.choice(GOOD if side else BAD)) for side in sides]
        texts.append(" ".join(rng.permutation([*rng.choice(plain, rng.integers(2, 12)), *telling])))
    return HiddenLabels("mirror", tuple(texts), labels, "f" * 64)


HIDDEN = reviews(300, seed=1)


def trained(folder, seed: int, mistake: str = "") -> dict[str, bytes]:
    """The files of a classifier that the notebook trains."""
    examples = reviews(800, seed=100 + seed)
    data = list(examples.sentences), list(examples.labels)
    return own_notebooks.trained("a3", folder, data, seed, mistake)
