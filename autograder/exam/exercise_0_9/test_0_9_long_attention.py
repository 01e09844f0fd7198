"""Hidden tests of exercise 0.9: exact attention that never holds the table of all weights."""

import torch

from autograder.a2.tensors import normal
from autograder.a5.student_side import made
from grader.checking.question import question

READ = "exercise 0.9"
ROWS = "softmax(QKᵀ / √d_k) V for `block` queries at a time: a row of weights needs all keys"
TOKENS, BLOCK = 1_500, 32  # long, for an answer that keeps to blocks only when it is short


def largest(call, x, block):
    """How many numbers the largest tensor of floats has that a call makes."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Largest(TorchDispatchMode):
        numbers = 0

        def __torch_dispatch__(self, function, types, arguments=(), options=None):
            made = function(*arguments, **(options or {}))
            for one in made if isinstance(made, (tuple, list)) else [made]:
                if hasattr(one, "numel") and one.is_floating_point():
                    self.numbers = max(self.numbers, one.numel())
            return made

    with Largest() as watch:
        call(x, x, x, None, block)
    return watch.numbers


@question("0.9", weight=2, atol=1e-5, advice=ROWS, read=READ)
def test_exact(its, rng):
    """The result is that of attention with all weights, for blocks of any size."""
    found = {}
    for n_q, n_k, block in [(50, 70, 16), (50, 70, 50), (30, 20, 64), (5, 9, 1)]:
        arrays = 2 * normal(rng, 2, n_q, 8), normal(rng, 2, n_k, 8), normal(rng, 2, n_k, 4)
        found[f"{n_q} queries in blocks of {block}"] = its.long_attention(*arrays, block=block)
    return found


@question("0.9", atol=1e-5, advice="a block of queries has the same rows of the mask", read=READ)
def test_mask(its, rng):
    """The mask holds in every block."""
    arrays = normal(rng, 2, 50, 8), normal(rng, 2, 40, 8), normal(rng, 2, 40, 4)
    return its.long_attention(*arrays, torch.ones(50, 40).tril().bool(), block=16)


@question("0.9", weight=2, advice=ROWS, read=READ)
def test_never_holds_all_weights(its, rng):
    """The largest tensor for a long sequence is a block of weights."""
    numbers = made(its, largest)(its.long_attention, normal(rng, 1, TOKENS, 4), BLOCK)
    return {"no tensor has more than two blocks of weights": numbers <= 2 * BLOCK * TOKENS}
