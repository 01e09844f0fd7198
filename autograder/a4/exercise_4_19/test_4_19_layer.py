"""Hidden tests of exercise 4.19: one layer with a cache."""

import torch

from autograder.a4.exercise_4_19.cached_decoding import READ, fill
from grader.checking.question import question


@question(
    "4.19", weight=4, read=READ,
    advice="append the keys and values of the new tokens, made from what `enter` returns",
)  # fmt: skip
def test_layer(its, rng):
    """One layer: its output for the new tokens, and the cache with their keys and values added."""
    answer = {}
    for norm_first in (False, True):
        layer = its.DecoderLayer(8, 2, 16, norm_first=norm_first)
        fill(rng, layer)
        for known, new in ((0, 1), (3, 1), (2, 3)):
            shapes = [(2, 2, known, 4)] * 2 + [(2, 2, 4, 4)] * 2 + [(2, new, 8)]
            *parts, x = (torch.tensor(rng.normal(size=shape)).float() for shape in shapes)
            mask = torch.ones(2, 1, new, known + new, dtype=torch.bool).tril(known)
            mask[1, :, :, : min(known, 1)] = False
            source_mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]]).bool()[:, None, None]
            output, cache = its.cached_layer(layer, x, its.LayerCache(*parts), mask, source_mask)
            what = f"of {new} new tokens after {known}, norm_first={norm_first}"
            answer[f"the output {what}"] = output
            for name in ("keys", "values", "source_keys", "source_values"):
                answer[f"the {name} {what}"] = cache.get(name)
    return answer
