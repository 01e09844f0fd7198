"""Hidden tests of the exam: questions of earlier assignments once more, and long sequences."""

import inspect
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import torch

from autograder.a2.exercise_2_1 import test_2_1_attention as attention
from autograder.a2.exercise_2_2 import test_2_2_heads as heads
from autograder.a2.exercise_2_3 import test_2_3_multi_head as multi_head
from autograder.a2.exercise_2_5 import test_2_5_layer_norm as layer_norm
from autograder.a2.exercise_2_6 import test_2_6_residual as residual
from autograder.a2.tensors import normal
from autograder.a3.exercise_3_4 import test_3_4_feed_forward as feed_forward
from autograder.a3.exercise_3_5 import test_3_5_encoder as encoder
from autograder.a5.student_side import made
from grader.checking.answer import Answer
from grader.checking.exercise import Question, mark_of
from grader.checking.question import question

Ask = Callable[..., Any]

READ = "exercise 0.9"
ROWS = "softmax(QKᵀ / √d_k) V for `block` queries at a time: a row of weights needs all keys"
TOKENS, BLOCK = 1_500, 32  # long, for an answer that keeps to blocks only when it is short


def asked_again(exercise: str, *tests: Ask, weight: float = 1.0, title: str = "") -> Ask:
    """A question that asks these tests one after another; its answers have their titles."""
    marks = [mark for test in tests if (mark := mark_of(test))]
    titles = [f"{mark.title} " if len(marks) > 1 else "" for mark in marks]

    def ask(its: Any, rng: Any) -> dict[str, Any]:
        found = dict[str, Any]()
        for test, prefix in zip(tests, titles, strict=True):
            answer = test(its, rng) if "rng" in inspect.signature(test).parameters else test(its)
            found |= {f"{prefix}{name}": one for name, one in Answer.of(answer).values.items()}
        return found

    ask.__doc__ = title or marks[0].title
    asked = marks[0].question or Question()
    corner = all(mark.corner for mark in marks)
    return question(exercise, weight, corner=corner, **asdict(asked))(ask)


# Task 1: masked multi-head attention.
test_shapes_and_dtypes = asked_again("0.1", attention.test_shapes_and_dtypes, weight=2)
test_mask = asked_again("0.1", attention.test_mask, weight=2)
test_row_without_keys = asked_again("0.1", attention.test_row_without_keys, weight=2)
test_dropout = asked_again("0.1", attention.test_dropout)
test_split_numbered_elements = asked_again("0.2", heads.test_split_numbered_elements, weight=4)
test_injected_weights = asked_again("0.3", multi_head.test_injected_weights, weight=3)
test_masks = asked_again("0.3", multi_head.test_masks, weight=2)

# Task 2: a part counts when it is mended and nothing else is broken.
test_layer_norm = asked_again(
    "0.4",
    layer_norm.test_variance_and_epsilon,
    layer_norm.test_gradients,
    title="Layer normalization is that of the paper, and its parameters work.",
)
test_residual = asked_again(
    "0.5",
    residual.test_gradients,
    title="The residual connection adds x itself in pre-norm order, and post-norm is as it was.",
)
test_feed_forward = asked_again(
    "0.6",
    feed_forward.test_values,
    title="The feed-forward network has its ReLU between the two layers.",
)
test_encoder_layer = asked_again(
    "0.7",
    encoder.test_post_norm,
    title="The mask reaches the attention, and the layer computes what it did without one.",
)
test_stack = asked_again(
    "0.8",
    encoder.test_stack,
    title="Every layer reads the layer below, and mask and weights are passed on.",
)

# Task 3: exact attention that never holds the table of all weights.


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
def test_mask_in_blocks(its, rng):
    """The mask holds in every block."""
    arrays = normal(rng, 2, 50, 8), normal(rng, 2, 40, 8), normal(rng, 2, 40, 4)
    return its.long_attention(*arrays, torch.ones(50, 40).tril().bool(), block=16)


@question("0.9", weight=2, advice=ROWS, read=READ)
def test_never_holds_all_weights(its, rng):
    """The largest tensor for a long sequence is a block of weights."""
    numbers = made(its, largest)(its.long_attention, normal(rng, 1, TOKENS, 4), BLOCK)
    return {"no tensor has more than two blocks of weights": numbers <= 2 * BLOCK * TOKENS}
