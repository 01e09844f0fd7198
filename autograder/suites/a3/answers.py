"""How the hidden tests of assignment 3 ask, and the inputs that they draw."""

import numpy as np
import torch

from course_lib.checking import expect, raised
from course_lib.checking.expect import Failure
from course_lib.seam import StudentError


def normal(rng, *shape):
    return torch.from_numpy(rng.normal(size=shape).astype("float32"))


def answered(call, otherwise, read, *when, kinds=None):
    """The call's value; an exception of the student's code is told with advice or its cause.

    The advice is given if one of `when` stands in the exception's text, and without `when` always.
    `kinds` maps kinds of exceptions that can mean only one thing here to what they mean. A stub, a
    hang, a crash and an exception whose own words leave no doubt have messages of their own.
    """
    try:
        return call()
    except StudentError as error:
        seen = (kinds or {}).get(error.kind, "")
        _, certain = raised.diagnosis(error.kind, error.message)
        applies = any(text in error.message for text in when or ("",))
        if error.kind.isupper() or not seen and (certain or not applies):
            raise
        got = f"{error.kind}: {error.message}"
        raise Failure("a value, not an error", got, seen or otherwise, read, bool(seen)) from None


def named_parts(module, wanted, otherwise, read, causes=None):
    """The module's state has exactly these names and shapes: what the docstring pins.

    `causes` maps a mistake to the names and shapes that it would have given.
    """
    found = {name: tuple(value.shape) for name, value in module.state_dict().items()}
    if found != wanted:
        missing = sorted(set(wanted) - set(found))
        more = sorted(set(found) - set(wanted))
        shapes = [f"{n} {found[n]}" for n in found if n in wanted and found[n] != wanted[n]]
        got = "; ".join(
            f"{what}: {', '.join(names[:4])}"
            for what, names in (("missing", missing), ("besides", more), ("of shape", shapes))
            if names
        )
        expected = f"a state of {len(wanted)} tensors: {', '.join(sorted(wanted)[:4])} …"
        seen = next((name for name, other in (causes or {}).items() if found == other), "")
        raise Failure(expected, got, seen or otherwise, read, bool(seen))


def is_random(student, call, *args):
    """Whether the call's output (of a pair the first) depends on the seed of the moment."""
    outputs = []
    for seed in (1, 2, 3):
        value = student.call(call, *args, seed=seed).value
        outputs.append(value[0] if isinstance(value, (tuple, list)) and value else value)
    if not all(torch.is_tensor(value) for value in outputs):
        return False
    return any(not np.array_equal(outputs[0], value, equal_nan=True) for value in outputs[1:])


def only_one_rate(student, module, parts, *given):
    """At a rate of 1 everything is dropped: what is still random has another rate."""
    expect.true(
        not is_random(student, module, *given),
        expected="everything dropped in training mode at a rate of 1, whatever the seed",
        got="outputs that differ",
        because=f"a dropout with another rate is at work: pass `dropout` on to {parts}",
        read="§5.4",
    )


def no_weights_unasked(module, given, read):
    """`need_weights` is False unless asked for, and then there is None instead of weights."""
    for options, because in (
        ({"need_weights": False}, "weights are returned although need_weights is False"),
        ({}, "need_weights is True by default: weights are for those who ask"),
    ):
        _, weights = expect.parts(module(given, **options), 2, read=read)
        empty = isinstance(weights, (list, tuple)) and all(one is None for one in weights)
        expect.true(
            weights is None,
            expected="None instead of weights when nobody asks for them",
            got=type(weights).__name__,
            because="a list of None is not None: `weights if need_weights else None`"
            if empty
            else because,
            read=read,
        )
