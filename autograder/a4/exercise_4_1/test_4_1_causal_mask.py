"""Hidden tests of exercise 4.1: the causal mask."""

import torch

from autograder.a3.answers import answered
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.2.3; the mask convention of assignment 2: True = may attend"


def check(got, n, what):
    ones = torch.ones(1, 1, n, n, dtype=torch.bool)
    expect.shape(
        got,
        (1, 1, n, n),
        otherwise="(1, 1, n, n): the axes of size 1 broadcast over batch and heads",
        what=what,
        read=READ,
    )
    kind = str(got.dtype).removeprefix("torch.")
    expect.true(
        kind == "bool",
        expected=f"{what} of dtype bool",
        got=kind,
        read=READ,
    )
    causes = {
        "every position sees all others: nothing hides the future": ones,
        "every position sees only itself": torch.eye(n, dtype=torch.bool)[None, None],
    }
    if n > 1:
        causes = {
            MISTAKE.causal_leak_by_one: ones.tril(1),
            MISTAKE.causal_diagonal_blocked: ones.tril(-1),
            MISTAKE.causal_inverted: ones.triu(1),
            MISTAKE.causal_transposed: ones.triu(),
            **causes,
        }
    expect.close(
        got,
        ones.tril(),
        otherwise="row i is True up to column i, and False from there on",
        read=READ,
        what=what,
    )


@exercise("4.1", weight=2)
def test_values(student):
    """True on the diagonal and below, (1, 1, n, n) and boolean."""
    for n in (5, 2, 9):
        check(student.causal_mask(n), n, f"causal_mask({n})")


@exercise("4.1")
def test_one_token(student):
    """A single token sees itself."""
    got = student.causal_mask(1)
    expect.shape(got, (1, 1, 1, 1), what="causal_mask(1)", otherwise="(1, 1, n, n)", read=READ)
    expect.close(
        got,
        [[[[True]]]],
        read=READ,
        what="causal_mask(1)",
    )


@exercise("4.1")
def test_device(student):
    """The mask is made on `device`, by default on the CPU."""
    # torch's "meta" device is on every machine: tensors without values
    where = student.make("lambda make, *a, **k: make(*a, **k).device.type")
    hint = MISTAKE.causal_device_ignored
    for wanted, arguments, options in (
        ("meta", (4,), {"device": "meta"}),
        ("meta", (4, "meta"), {}),
        ("cpu", (4,), {}),
    ):
        got = answered(
            lambda a=arguments, o=options: where(student.causal_mask, *a, **o), hint, READ
        )
        expect.equal(
            got,
            wanted,
            otherwise="on the CPU unless `device` names another one",
            read="the signature of 4.1",
            what="the device",
        )
