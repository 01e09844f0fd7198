"""Hidden tests of exercise 4.19: what a cache saves."""

from autograder.a4.drawn_weights import prefixes
from autograder.a4.exercise_4_19.test_4_19_steps import SOURCE, ask, model

# Logs how many tokens the feed-forward networks and the projections of the source are given.
WATCH = (
    "[(lambda name, part: part.register_forward_pre_hook(lambda module, given: seen.append([name, "
    "int(given[0].shape[1])])))(name, part) for layer in model.decoder.layers for name, part in "
    "(('new', layer.feed_forward), ('source', layer.cross_attention.w_k))]"
)


@ask(weight=8, advice="keep what has already been read")
def test_cost(its, rng):
    """A step reads only the new tokens, and projects the source only once."""
    known, whole, seen, answer = model(its, rng), prefixes(rng, 3, 6), its.make("[]"), {}
    its.make(WATCH, model=known, seen=seen)
    step, cache = its.cached_step(known), its.start_cache(known, SOURCE)
    for n, new in ((1, 1), (2, 1), (3, 1), (4, 1), (6, 2)):
        before = len(seen.get())
        _, cache = step(whole[:, :n], cache)
        calls = seen.get()[before:]
        read = max((tokens for name, tokens in calls if name == "new"), default=0)
        answer[f"with {n} tokens, of which {new} new, only new ones are read"] = read <= new
        answer[f"with {n} tokens, the source is not projected again"] = ["source", 4] not in calls
    return answer
