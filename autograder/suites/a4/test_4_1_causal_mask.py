"""Hidden tests of exercise 4.1: the causal mask."""

import torch

from autograder.suites.a3.answers import answered
from grader.checking import expect
from grader.checking.exercise import exercise

READ = "§3.2.3; the mask convention of assignment 2: True = may attend"


def check(got, n, what):
    ones = torch.ones(1, 1, n, n, dtype=torch.bool)
    expect.shape(
        got,
        (1, 1, n, n),
        causes={"the axes for batch and heads are missing: (1, 1, n, n)": (n, n)},
        otherwise="(1, 1, n, n): the axes of size 1 broadcast over batch and heads",
        what=what,
        read=READ,
    )
    kind = str(got.dtype).removeprefix("torch.")
    expect.true(
        kind == "bool",
        expected=f"{what} of dtype bool",
        got=kind,
        because=f"the mask holds numbers of type {kind}: a mask is boolean, dtype=torch.bool",
        read=READ,
    )
    causes = {
        "every position sees all others: nothing hides the future": ones,
        "every position sees only itself": torch.eye(n, dtype=torch.bool)[None, None],
    }
    if n > 1:
        causes = {
            "future leak by one: a position sees the next token, which it must predict": ones.tril(
                1
            ),
            "the diagonal is masked: a position may attend to itself": ones.tril(-1),
            "inverted: True means may attend, that is, not later": ones.triu(1),
            "queries and keys are swapped: rows are queries, columns are keys": ones.triu(),
            **causes,
        }
    expect.close(
        got,
        ones.tril(),
        causes=causes,
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
        causes={"the diagonal is masked: a position may attend to itself": [[[[False]]]]},
        read=READ,
        what="causal_mask(1)",
    )


@exercise("4.1")
def test_device(student):
    """The mask is made on `device`, by default on the CPU."""
    # torch's "meta" device is on every machine: tensors without values
    where = student.make("lambda make, *a, **k: make(*a, **k).device.type")
    hint = "`device` is not used: on a GPU, mask and tokens would be on different devices"
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
            causes={hint: "cpu"},
            otherwise="on the CPU unless `device` names another one",
            read="the signature of 4.1",
            what="the device",
        )
