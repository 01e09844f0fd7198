"""How the hidden tests of assignment 4 write weights into a model, and what must not move."""

import math

from course_lib.checking import expect

MATRIX = "embedding.tokens.weight"


def write_in(module, state):
    """Load `state`, the pinned names' values, into a Transformer on the student's side.

    A second name of the shared matrix, such as that of a tied linear layer, is allowed.
    """
    more = {n: value for n, value in module.state_dict().items() if n not in state}
    matrix = state[MATRIX]
    same = {name: matrix for name, value in more.items() if value.shape == matrix.shape}
    module.load_state_dict(more | state | same)


def unmoved(after, before, limit, *, because, read, what):
    """`after` equals `before`: what else was changed has no part in it, or `because` is true."""
    expect.shape(after, tuple(before.shape), what=what, read=read)
    apart = float((after - before).abs().max())
    expect.below(
        apart,
        limit,
        expected=f"{what}: as before",
        got=f"a difference of {apart:.3g}",
        because=because if math.isfinite(apart) else "",
        read=read,
    )
