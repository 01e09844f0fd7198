"""Hidden tests of exercise 4.19: one layer with a cache."""

import torch

from autograder.a4.drawn_weights import load, normal
from grader.checking.question import question

KEYS = "append the keys and values of the new tokens, made from what `enter` returns"


@question("4.19", weight=4, read="§3.2.3; the docstrings of 4.19", advice=KEYS)
def test_layer(its, rng):
    """One layer: its output for the new tokens, and the cache with their keys and values added."""
    answer, source_mask = {}, torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]]).bool()[:, None, None]
    for norm_first in (False, True):
        layer = load(its.DecoderLayer(8, 2, 16, norm_first=norm_first), rng)
        for known, new in ((0, 1), (3, 1), (2, 3)):
            parts = [normal(rng, 2, 2, n, 4) for n in (known, known, 4, 4)]
            mask = torch.ones(2, 1, new, known + new, dtype=torch.bool).tril(known)
            mask[1, :, :, : min(known, 1)] = False
            given = normal(rng, 2, new, 8), its.LayerCache(*parts), mask, source_mask
            output, cache = its.cached_layer(layer, *given)
            what = f"of {new} new tokens after {known}, norm_first={norm_first}"
            answer[f"the output {what}"] = output
            for name in ("keys", "values", "source_keys", "source_values"):
                answer[f"the {name} {what}"] = cache.get(name)
    return answer
