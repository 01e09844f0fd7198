"""How the hidden tests of assignment 4 load weights, and check that outputs do not change."""

import math

from grader.checking import expect

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
    """Check that `after` equals `before` within `limit`; if not, `because` is the mistake."""
    expect.shape(after, tuple(before.shape), what=what, read=read)
    apart = float((after - before).abs().max())
    expect.below(
        apart,
        limit,
        expected=f"{what}: unchanged",
        got=f"a difference of {apart:.3g}",
        because=because if math.isfinite(apart) else "",
        read=read,
    )
