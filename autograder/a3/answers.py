"""How the hidden tests of assignment 3 call student code, and the inputs they draw."""

import numpy as np
import torch

from grader.checking import expect, raised
from grader.checking.expect import Failure
from grader.checking.known_mistakes import known_mistakes
from grader.seam import StudentError

MISTAKE = known_mistakes(__file__)


def normal(rng, *shape):
    return torch.from_numpy(rng.normal(size=shape).astype("float32"))


def answered(call, otherwise, read, *when, kinds=None):
    """The call's value; if student code raises, fail with advice or with the cause.

    Show `otherwise` if the exception's text contains one of `when`, or always if `when` is empty.
    `kinds` maps exception types that can mean only one thing here to that meaning. Re-raises a
    stub, a hang, a crash and an exception whose message is already explained elsewhere.
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
    """Check that the module's state dict has exactly the names and shapes of the docstring.

    `causes` maps a mistake to the names and shapes it would give.
    """
    found = {name: tuple(value.shape) for name, value in module.state_dict().items()}
    if found != wanted:
        missing = sorted(set(wanted) - set(found))
        more = sorted(set(found) - set(wanted))
        shapes = [f"{n} {found[n]}" for n in found if n in wanted and found[n] != wanted[n]]
        got = "; ".join(
            f"{what}: {', '.join(names[:4])}"
            for what, names in (("missing", missing), ("unexpected", more), ("of shape", shapes))
            if names
        )
        expected = f"a state dict of {len(wanted)} tensors: {', '.join(sorted(wanted)[:4])} …"
        seen = next((name for name, other in (causes or {}).items() if found == other), "")
        raise Failure(expected, got, seen or otherwise, read, bool(seen))


def is_random(student, call, *args):
    """Whether the call's output (the first of a pair) changes with the global seed."""
    outputs = []
    for seed in (1, 2, 3):
        value = student.call(call, *args, seed=seed).value
        outputs.append(value[0] if isinstance(value, (tuple, list)) and value else value)
    if not all(torch.is_tensor(value) for value in outputs):
        return False
    return any(not np.array_equal(outputs[0], value, equal_nan=True) for value in outputs[1:])


def only_one_rate(student, module, parts, *given):
    """Check that nothing is random at a dropout rate of 1: all of `parts` use that rate."""
    expect.true(
        not is_random(student, module, *given),
        expected="the same output for every seed in training mode at a rate of 1",
        got="outputs that differ between seeds",
        read="§5.4",
    )


def no_weights_unasked(module, given, read):
    """Check that the weights are None with `need_weights=False`, which is the default."""
    for options, because in (
        ({"need_weights": False}, MISTAKE.layer_weights_unasked),
        ({}, "weights are returned by default: need_weights defaults to False"),
    ):
        _, weights = expect.parts(module(given, **options), 2, read=read)
        empty = isinstance(weights, (list, tuple)) and all(one is None for one in weights)
        expect.true(
            weights is None,
            expected="None instead of weights with need_weights=False",
            got=type(weights).__name__,
            read=read,
        )
