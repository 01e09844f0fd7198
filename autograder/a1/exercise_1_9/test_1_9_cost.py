"""Hidden tests of exercise 1.9: the leading terms of Table 1."""

from grader.checking.question import question

READ = "§4, Table 1"
TERM = "the leading term of Table 1, without constant factors"


def _entries(its, rng, *entries):
    """Entries for fewer tokens than features, and for more."""
    few, many = int(rng.integers(3, 40)), int(rng.integers(50, 400))
    counts = {(n, d): its.operation_counts(n, d) for n, d in ((few, many), (many, few))}
    return {
        f"{what} of {layer}, n, d = {sizes}": one[layer][what]
        for sizes, one in counts.items()
        for layer, what in entries
    }


@question("1.9", rtol=1e-9, advice=TERM, read=READ)
def test_attention_operations(its, rng):
    """Self-attention: every token attends to every token, n²·d."""
    return _entries(its, rng, ("self-attention", "operations"))


@question("1.9", rtol=1e-9, advice=TERM, read=READ)
def test_recurrent_operations(its, rng):
    """Recurrent: every token multiplies the state by a d × d matrix, n·d²."""
    return _entries(its, rng, ("recurrent", "operations"))


@question("1.9", advice="the column “Sequential Operations”", read=READ)
def test_sequential(its, rng):
    """Sequential steps: 1 for self-attention, n for the recurrent layer."""
    return _entries(its, rng, ("self-attention", "sequential"), ("recurrent", "sequential"))


@question("1.9", weight=0.5, rtol=1e-12, advice="use Python's own integers", read=READ)
def test_large_and_exact(its, rng):
    """Counts are exact integers, even beyond 32 bits."""
    counts = its.operation_counts(int(rng.integers(10**6, 2 * 10**6)), 4096)
    return {layer: counts[layer]["operations"] for layer in ("self-attention", "recurrent")}
