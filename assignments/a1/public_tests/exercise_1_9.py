"""The visible checks of exercise 1.9: what attention costs."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def _count(counts, layer, what):
    known = isinstance(counts, dict) and isinstance(counts.get(layer), dict)
    expect.true(known and what in counts[layer], expected=f'result["{layer}"]["{what}"]',
                got=repr(counts)[:200], otherwise="return a dict of dicts, named as in the handout"
                )
    return counts[layer][what]


@exercise("1.9")
def test_operations(student):
    """Five tokens of width 512: leading terms of the operations."""
    counts = student.operation_counts(5, 512)
    n2d, nd2 = 25 * 512, 5 * 512 * 512
    left_out = {"the width is missing: each pair of tokens needs a dot product of d terms": 25,
                "n·d: which tokens attend to which?": 5 * 512,
                "the projections are counted: the table leaves them out": n2d + nd2}
    for layer, want, wrong in (("self-attention", n2d, nd2), ("recurrent", nd2, n2d)):
        expect.close(
            _count(counts, layer, "operations"), want, rtol=0, what=f"{layer} operations",
            otherwise="leading term only, without constant factors", read="§4, Table 1",
        )


@exercise("1.9")
def test_sequential_steps(student):
    """Self-attention takes one sequential step; a recurrent layer takes one per token."""
    counts = student.operation_counts(7, 16)
    for layer, want, causes in (
        ("self-attention", 1, {"all tokens are processed at once: no step waits": 7}),
        ("recurrent", 7, {"each state needs the one before it: n steps, not 1": 1}),
    ):
        expect.close(
            _count(counts, layer, "sequential"), want, what=f"{layer} sequential steps",
            otherwise="which results must exist before the next one can be computed?",
            read="§4, Table 1",
        )
