"""Hidden tests of exercise 1.9: the leading terms of Table 1."""

import numpy as np

from grader.checking.question import question

READ = "§4, Table 1"
LAYERS = ("self-attention", "recurrent")


def _entries(its, rng, what):
    """Entries for fewer tokens than features, and for more."""
    few, many = int(rng.integers(3, 40)), int(rng.integers(50, 400))
    counts = {sizes: its.operation_counts(*sizes) for sizes in ((few, many), (many, few))}
    return {f"{what} of {n}, n, d = {s}": one[n][what] for s, one in counts.items() for n in LAYERS}


@question("1.9", weight=2, rtol=1e-9, advice="the leading term, without constants", read=READ)
def test_attention_operations(its, rng):
    """Every token attends to every token, n²·d; a recurrent layer takes n·d²."""
    return _entries(its, rng, "operations")


@question("1.9", advice="the column “Sequential Operations”", read=READ)
def test_sequential(its, rng):
    """Sequential steps: 1 for self-attention, n for the recurrent layer."""
    return _entries(its, rng, "sequential")


@question("1.9", weight=0.5, corner=True, rtol=1e-12, advice="use Python's own integers", read=READ)
def test_large_and_exact(its, rng):
    """Counts are exact integers, even beyond 32 bits."""
    counts = its.operation_counts(int(rng.integers(10**6, 2 * 10**6)), 4096)
    found = {layer: counts[layer]["operations"] for layer in LAYERS}
    whole = all(np.asarray(number).dtype.kind in "iu" for number in found.values())
    return {"they are integers": whole} | found
