"""Hidden tests of exercise 4.19: the cache before the first step."""

from autograder.a4.exercise_4_19.cached_decoding import READ, ROUNDING, SOURCE, model
from grader.checking.question import question


@question(
    "4.19", weight=3, atol=ROUNDING, read=READ,
    advice="the memory through the cross-attention's projections, split into heads; no target yet",
)  # fmt: skip
def test_start_cache(its, rng):
    """The new cache has keys and values of the source, none of the target, in every layer."""
    answer = {}
    for norm_first in (False, True):
        cache = its.start_cache(model(its, rng, norm_first), SOURCE)
        answer["the number of layers"] = cache.method("layers.__len__")
        for layer in (0, 1):
            for name in ("source_keys", "source_values", "keys", "values"):
                value = cache.get(f"layers.{layer}.{name}")
                what = f"{name} of layer {layer}, norm_first={norm_first}"
                answer[what] = value if "source" in name else list(value.shape)
    return answer | {"source_mask": cache.get("source_mask")}
