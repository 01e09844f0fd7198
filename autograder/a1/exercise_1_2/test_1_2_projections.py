"""Hidden tests of exercise 1.2: queries, keys and values as linear maps of the same input."""

from grader.checking.question import question

READ = "§3.2.2"


def _projected(its, rng, lead, d_model, *widths):
    """The three projections of random tokens, by name."""
    arrays = [rng.normal(size=(d_model, width)) for width in widths]
    made = its.project_qkv(rng.normal(size=(*lead, d_model)), *arrays)
    named = zip(("query", "key", "value"), made, strict=True)
    return {f"{name} of {lead} tokens": one for name, one in named}


@question("1.2", weight=2, advice="x @ w_q, x @ w_k and x @ w_v, with no bias", read=READ)
def test_each_has_its_own_weight(its, rng):
    """w_q, w_k and w_v give query, key and value; square ones are not transposed (torch's are)."""
    return _projected(its, rng, (5,), 6, 4, 4, 3) | _projected(its, rng, (3,), 4, 4, 4, 4)


@question("1.2", advice="matmul leaves leading axes alone: x @ w", read=READ)
def test_leading_axes(its, rng):
    """Inputs with one or two batch axes keep them."""
    return _projected(its, rng, (2, 5), 6, 4, 4, 2) | _projected(its, rng, (2, 3, 5), 6, 4, 4, 2)
