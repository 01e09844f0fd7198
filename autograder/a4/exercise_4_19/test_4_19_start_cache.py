"""Hidden tests of exercise 4.19: the cache before the first token."""

from autograder.a4.exercise_4_19.test_4_19_steps import READ, ROUNDING, SOURCE, model
from grader.checking.question import question

PROJECT = "the memory through the cross-attention's projections, split into heads; no target yet"


@question("4.19", weight=3, atol=ROUNDING, read=READ, advice=PROJECT)
def test_start_cache(its, rng):
    """The new cache has keys and values of the source, none of the target, in every layer."""
    cache = its.start_cache(model(its, rng, norm_first=True), SOURCE)
    answer = {"layers": cache.method("layers.__len__"), "mask": cache.get("source_mask")}
    for layer in (0, 1):
        for name in ("source_keys", "source_values", "keys", "values"):
            value = cache.get(f"layers.{layer}.{name}")
            answer[f"{name} of layer {layer}"] = value if "source" in name else list(value.shape)
    return answer
