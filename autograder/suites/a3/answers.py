"""How the hidden tests of assignment 3 ask, and the inputs that they draw."""

import torch

from course_lib.checking.expect import Failure
from course_lib.seam import StudentError


def normal(rng, *shape):
    return torch.from_numpy(rng.normal(size=shape).astype("float32"))


def answered(call, otherwise, read, *when):
    """The call's value; an exception of the student's code is told with its likely cause.

    The cause is named if one of `when` stands in the exception's text, and without `when` always.
    A stub, a hang or a crash has a message of its own and passes through.
    """
    try:
        return call()
    except StudentError as error:
        if error.kind.isupper() or not any(text in error.message for text in when or ("",)):
            raise
        got = f"{error.kind}: {error.message}"
        raise Failure("a value, not an error", got, otherwise, read) from None


def named_parts(module, wanted, otherwise, read):
    """The module's state has exactly these names and shapes: what the docstring pins."""
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
        raise Failure(expected, got, otherwise, read)
