"""Hidden tests of exercise 1.2: queries, keys and values as linear maps of the same input."""

from grader.checking.question import question

ADVICE = "query, key and value are x @ w_q, x @ w_k and x @ w_v, with no bias"
READ = "§3.2.2"


def _projected(its, rng, lead, d_model, *widths):
    """The three projections of random tokens, by name, and the arguments that were changed."""
    arrays = [rng.normal(size=(d_model, width)) for width in widths]
    called = its.call(its.project_qkv, rng.normal(size=(*lead, d_model)), *arrays)
    named = zip(("query", "key", "value"), called.value, strict=True)
    found = {f"{name} of {lead} tokens": one for name, one in named}
    return found | {f"arguments that it changed, {lead} tokens": called.changed}


@question("1.2", advice=ADVICE, read=READ)
def test_contract(its, rng):
    """Three new arrays of widths d_k, d_k and d_v, for d_k ≠ d_v."""
    return _projected(its, rng, (7,), 6, 8, 8, 3)


@question("1.2", weight=2, advice=ADVICE, read=READ)
def test_each_has_its_own_weight(its, rng):
    """w_q, w_k and w_v give query, key and value; square ones are not transposed (torch's are)."""
    return _projected(its, rng, (5,), 6, 4, 4, 4) | _projected(its, rng, (3,), 4, 4, 4, 4)


@question("1.2", advice="matmul leaves leading axes alone: x @ w", read=READ)
def test_leading_axes(its, rng):
    """Inputs with one or two batch axes keep them."""
    return _projected(its, rng, (2, 5), 6, 4, 4, 2) | _projected(its, rng, (2, 3, 5), 6, 4, 4, 2)
