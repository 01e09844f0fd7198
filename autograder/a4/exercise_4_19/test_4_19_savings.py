"""Hidden tests of exercise 4.19: what a cache saves, and that an old one stays as it was."""

import torch

from autograder.a4.exercise_4_19.cached_decoding import READ, SIZES, Decoding, grown
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

# Logs how many tokens the feed-forward networks and the projections of the source are given.
WATCH = (
    "[(lambda name, part: part.register_forward_pre_hook(lambda module, given: seen.append([name, "
    "int(given[0].shape[1])])))(name, part) for layer in model.decoder.layers for name, part in "
    "(('new', layer.feed_forward), ('source', layer.cross_attention.w_k))]"
)


def contents(cache):
    """All tensors in a cache, by name."""
    names = ("keys", "values", "source_keys", "source_values")
    found = {
        f"layers.{i}.{name}": cache.get(f"layers.{i}.{name}")
        for i in range(SIZES["n_layers"])
        for name in names
    }
    return found | {"source_mask": cache.get("source_mask")}


@exercise("4.19", weight=8, after=["start_cache", "cached_layer"])
def test_cost(student, rng):
    """A step reads only the new tokens, and projects the source only once."""
    decoding = Decoding(student, rng)
    seen = student.make("[]")
    student.make(WATCH, model=decoding.theirs, seen=seen)
    decoding.start()
    prefixes, before = torch.full((3, 1), 2), len(seen.get())
    for new in (1, 1, 1, 2):
        held = decoding.held()
        decoding.advance(prefixes)
        calls = seen.get()[before:]
        read = max((n for name, n in calls if name == "new"), default=0)
        expect.true(
            read <= new,
            expected=f"{new} new token{'s' * (new > 1)} read, of a prefix of {prefixes.shape[1]}",
            got=f"{read}",
            otherwise="keep the keys and values of the tokens already read",
            read=READ,
        )
        expect.true(
            not any(name == "source" for name, _ in calls),
            expected="no projection of the source, since `start_cache` has made it",
            got="another projection",
            because="the source is projected again: the cache has its keys and values",
            read=READ,
        )
        before += len(calls)
        prefixes = grown(rng, grown(rng, prefixes) if prefixes.shape[1] == 3 else prefixes)


@exercise("4.19", after=["start_cache", "cached_layer"])
def test_old_cache_stays(student, rng):
    """A step does not change the old cache: using it again gives the same result."""
    decoding = Decoding(student, rng).start()
    prefixes = torch.full((3, 1), 2)
    for _ in range(3):
        old = decoding.cache
        before = {name: value.clone() for name, value in contents(old).items()}
        decoding.advance(prefixes)
        after = contents(old)
        other = [name for name, value in before.items() if not torch.equal(value, after[name])]
        expect.true(
            not other,
            expected="an old cache with the same contents as before the step",
            got=f"{', '.join(other[:3])} changed",
            read=READ,
        )
        prefixes = grown(rng, prefixes)
