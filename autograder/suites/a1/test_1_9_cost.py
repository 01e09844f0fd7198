"""Hidden tests of exercise 1.9: the leading terms of Table 1."""

from course_lib.checking import expect
from course_lib.checking.exercise import exercise

READ = "§4, Table 1"


def _count(student, n, d_model, layer, what):
    """One entry of the answer. Raises Failure when it is not there."""
    counts = student.operation_counts(n, d_model)
    there = isinstance(counts, dict) and isinstance(counts.get(layer), dict)
    expect.true(
        there and what in counts[layer], expected=f'result["{layer}"]["{what}"]',
        got=repr(counts)[:200], otherwise="a dict of dicts, named as in the handout", read=READ,
    )  # fmt: skip
    return counts[layer][what]


def _sizes(rng):
    """Numbers of tokens and widths, first fewer tokens than features and then more."""
    small, large = int(rng.integers(3, 40)), int(rng.integers(50, 400))
    return (small, large), (large, small)


@exercise("1.9")
def test_attention_operations(student, rng):
    """Self-attention: every token meets every token, n²·d."""
    for n, d in _sizes(rng):
        expect.close(
            _count(student, n, d, "self-attention", "operations"), n * n * d, atol=0.1, rtol=0,
            what=f"operations of self-attention at n = {n}, d = {d}", read=READ,
            causes={
                "n·d² is the recurrent layer's term: every token meets every token": n * d * d,
                "the constant factor 2 is left out, as in the table": 2 * n * n * d,
                "the width is missing: each meeting is a dot product of d terms": n * n,
                "n·d: every token meets only itself": n * d,
                "the projections are left out, as in the table": n * n * d + n * d * d,
            },
            otherwise="the leading term of Table 1",
        )  # fmt: skip


@exercise("1.9")
def test_recurrent_operations(student, rng):
    """Recurrent: every token's state meets a d × d matrix, n·d²."""
    for n, d in _sizes(rng):
        expect.close(
            _count(student, n, d, "recurrent", "operations"), n * d * d, atol=0.1, rtol=0,
            what=f"operations of a recurrent layer at n = {n}, d = {d}", read=READ,
            causes={
                "n²·d is self-attention's term: a state meets a d × d matrix once a token": (
                    n * n * d
                ),
                "the constant factor 2 is left out, as in the table": 2 * n * d * d,
                "n·d: the state meets a whole matrix, not a vector": n * d,
                "d² for one token: there are n of them": d * d,
            },
            otherwise="the leading term of Table 1",
        )  # fmt: skip


@exercise("1.9")
def test_sequential(student, rng):
    """Sequential steps: 1 for self-attention, n for the recurrent layer."""
    for n, d in _sizes(rng):
        for layer, want, causes in (
            ("self-attention", 1, {"all tokens are treated at once: no step waits": n}),
            (
                "recurrent", n,
                {
                    "each state needs the one before it: n steps, not 1": 1,
                    "this counts operations, not steps that wait for one another": n * d * d,
                    "n − 1 waits make n steps": n - 1,
                },
            ),
        ):  # fmt: skip
            expect.close(
                _count(student, n, d, layer, "sequential"), want, atol=0.1, rtol=0, causes=causes,
                what=f"sequential steps of {layer} at n = {n}", read=READ,
                otherwise="the column “Sequential Operations” of Table 1",
            )  # fmt: skip


@exercise("1.9", weight=0.5)
def test_large_and_exact(student, rng):
    """Exact whole numbers, beyond what 32 bits hold."""
    n, d = int(rng.integers(10**6, 2 * 10**6)), 4096
    for layer, want in (("self-attention", n * n * d), ("recurrent", n * d * d)):
        wrapped = (want + 2**31) % 2**32 - 2**31
        expect.close(
            _count(student, n, d, layer, "operations"), want, atol=0.5, rtol=0, read=READ,
            what=f"operations of {layer} at n = {n}, d = {d}",
            causes={
                "a 32-bit integer overflowed: Python's own integers do not": wrapped,
                "an unsigned 32-bit integer overflowed: Python's own do not": want % 2**32,
            },
            otherwise="whole numbers of any size: Python's own integers",
        )  # fmt: skip
