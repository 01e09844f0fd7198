"""Trials and summaries of small studies, and how the hidden tests read what is made of them."""

import numpy as np
from scipy import stats

from grader.checking import expect, raised
from grader.checking.expect import Failure
from grader.checking.shown import describe
from grader.seam import StudentError

FAILURES = ("diverged", "out of memory", "timed out")


def trial(configuration, seed, quality=None, status="complete", steps=400, **measured):
    """The row of one trial; without a quality it has neither that nor steps."""
    row = {**configuration, "seed": seed, "status": status, **measured}
    return row if quality is None else {**row, "steps": steps, "quality": quality}


def line(configuration, qualities, failed=0, **measured):
    """The line of a configuration, as `summarize` makes it."""
    row = {**configuration, "n": len(qualities), "failed": failed, "pruned": 0}
    mean, low, high = interval(qualities) if len(qualities) else (None, None, None)
    return {**row, "qualities": list(qualities), "mean": mean, "low": low, "high": high, **measured}


def interval(values, level=0.95):
    """The mean of the values, and the ends of its interval."""
    mean, n = float(np.mean(values)), len(values)
    if n == 1:
        return mean, -np.inf, np.inf
    wide = float(stats.t.ppf((1 + level) / 2, n - 1) * np.std(values, ddof=1) / np.sqrt(n))
    return mean, mean - wide, mean + wide


def answered(call, otherwise, read, signs=(), because=""):
    """The call's value; if student code raises, fail with the cause or with advice.

    `signs` are (type, part of the message, the mistake that it shows); `because` is what any
    exception means here. Re-raises a stub, a hang, a crash and an exception whose message is
    already explained elsewhere.
    """
    try:
        return call()
    except StudentError as error:
        found = (m for k, text, m in signs if k == error.kind and text in error.message)
        seen = next(found, because)
        _, certain = raised.diagnosis(error.kind, error.message)
        if error.kind.isupper() or (certain and not seen):
            raise
        got = f"{error.kind}: {error.message}"
        raise Failure("a value, not an error", got, seen or otherwise, read, bool(seen)) from None


def raises_value_error(call):
    """Whether the student's code refuses the input."""
    try:
        call()
    except StudentError as error:
        return error.kind == "ValueError"
    return False


def table(made, keys, read):
    """A list of dicts with these keys."""
    expect.true(
        isinstance(made, list) and all(isinstance(row, dict) for row in made),
        expected="a list of dicts",
        got=describe(made),
        otherwise="return a list with one dict for each row of the table",
        read=read,
    )
    for row in made:
        missing = [key for key in keys if key not in row]
        expect.true(
            not missing,
            expected=f"rows with the keys {', '.join(keys)}",
            got=f"a row without {', '.join(missing)}: {describe(row)}",
            otherwise="use the names of the docstring, also where the value is None",
            read=read,
        )
    return made


def indices(made, what, read):
    """A list of whole numbers, from a list, a tuple or an array."""
    plain = made.tolist() if isinstance(made, np.ndarray) else made
    plain = list(plain) if isinstance(plain, tuple) else plain
    expect.true(
        isinstance(plain, list) and all(type(i) is int for i in plain),
        expected=f"{what}: a list of indices",
        got=describe(made),
        otherwise="return whole numbers that count from 0",
        read=read,
    )
    return plain
