"""Hidden tests of exercise 1.9: the leading terms of Table 1."""

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§4, Table 1"


def _count(student, n, d_model, layer, what):
    """One entry of the answer. Raises Failure when it is missing."""
    counts = student.operation_counts(n, d_model)
    there = isinstance(counts, dict) and isinstance(counts.get(layer), dict)
    expect.true(
        there and what in counts[layer], expected=f'result["{layer}"]["{what}"]',
        got=repr(counts)[:200], otherwise="a dict of dicts, named as in the handout", read=READ,
    )  # fmt: skip
    return counts[layer][what]


def _sizes(rng):
    """Two pairs (n, d_model): first fewer tokens than features, then more."""
    small, large = int(rng.integers(3, 40)), int(rng.integers(50, 400))
    return (small, large), (large, small)


@exercise("1.9")
def test_attention_operations(student, rng):
    """Self-attention: every token attends to every token, n²·d."""
    for n, d in _sizes(rng):
        expect.close(
            _count(student, n, d, "self-attention", "operations"), n * n * d, atol=0.1, rtol=0,
            what=f"operations of self-attention at n = {n}, d = {d}", read=READ,
            otherwise="the leading term of Table 1",
        )  # fmt: skip


@exercise("1.9")
def test_recurrent_operations(student, rng):
    """Recurrent: every token multiplies the state by a d × d matrix, n·d²."""
    for n, d in _sizes(rng):
        expect.close(
            _count(student, n, d, "recurrent", "operations"), n * d * d, atol=0.1, rtol=0,
            what=f"operations of a recurrent layer at n = {n}, d = {d}", read=READ,
            otherwise="the leading term of Table 1",
        )  # fmt: skip


@exercise("1.9")
def test_sequential(student, rng):
    """Sequential steps: 1 for self-attention, n for the recurrent layer."""
    for n, d in _sizes(rng):
        for layer, want, causes in (
            ("self-attention", 1, {MISTAKE.cost_attention_sequential: n}),
            (
                "recurrent", n,
                {
                    MISTAKE.cost_recurrent_one_step: 1,
                    "this counts operations, not steps that wait for one another": n * d * d,
                    "n − 1 is the number of waits: that makes n steps": n - 1,
                },
            ),
        ):  # fmt: skip
            expect.close(
                _count(student, n, d, layer, "sequential"), want, atol=0.1, rtol=0,                what=f"sequential steps of {layer} at n = {n}", read=READ,
                otherwise="the column “Sequential Operations” of Table 1",
            )  # fmt: skip


@exercise("1.9", weight=0.5)
def test_large_and_exact(student, rng):
    """Counts are exact integers, even beyond 32 bits."""
    n, d = int(rng.integers(10**6, 2 * 10**6)), 4096
    for layer, want in (("self-attention", n * n * d), ("recurrent", n * d * d)):
        wrapped = (want + 2**31) % 2**32 - 2**31
        expect.close(
            _count(student, n, d, layer, "operations"), want, atol=0.5, rtol=0, read=READ,
            what=f"operations of {layer} at n = {n}, d = {d}",
            otherwise="use Python's own integers, which have any size",
        )  # fmt: skip
