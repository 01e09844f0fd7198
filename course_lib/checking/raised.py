"""What an exception says about the code that raised it, where its own words tell.

A test that knows its inputs says more: see `expect.raising`.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Sign(NamedTuple):
    """An exception's kind and words, and what they mean. `certain`: they can mean nothing else."""

    kind: str  # a regular expression, like `words`
    words: str
    meaning: str  # may quote the groups of `words`: {0}, {1}
    certain: bool


SIGNS = (
    Sign(
        "AttributeError",
        r"before Module\.__init__\(\) call|object has no attribute '_(modules|parameters|buffers)'",
        "`__init__` does not begin with `super().__init__()`: an nn.Module needs it first",
        True,
    ),
    Sign(
        "RuntimeError",
        r"view size is not compatible with input tensor's size and stride",
        "`view` after `transpose` or `permute`: the elements no longer lie in that order in "
        "memory; use `reshape`, or `.contiguous()` before `view`",
        True,
    ),
    Sign(
        "RuntimeError|ValueError",
        r"mat1 and mat2 shapes cannot be multiplied \((\d+x\d+) and (\d+x\d+)\)",
        "a matrix of {0} is multiplied with one of {1}: the inner sizes must agree, so one of them "
        "has the wrong size or needs a transpose",
        False,
    ),
    Sign(
        "ValueError",
        r"matmul: .*mismatch in its core dimension.*\(size (\d+) is different from (\d+)\)",
        "a matrix product over axes of {1} and {0} elements: a transpose is missing, is one too "
        "many, or (`.T`) reverses the batch axes too",
        False,
    ),
    Sign(
        "RuntimeError",
        r"Expected size for first two dimensions of batch2 tensor to be",
        "a batched matrix product whose inner sizes differ: a transpose is missing or one too many",
        False,
    ),
    Sign(
        "ValueError",
        r"could not be broadcast together with shapes \(([^)]*)\) \(([^)]*)\)",
        "shapes ({0}) and ({1}) do not fit: compare them from the right, sizes must be equal or 1",
        False,
    ),
    Sign(
        "RuntimeError",
        r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)",
        "sizes {0} and {1} do not fit: print both shapes before this line; from the right, sizes "
        "must be equal or 1",
        False,
    ),
    Sign(
        "TypeError",
        r"argument",
        "the name or the order of the parameters differs from the handout",
        False,
    ),
    Sign(
        ".*",
        r"CUDA|cuda",
        "it needs a GPU: follow the input's device (`x.device`) instead of naming one",
        False,
    ),
    Sign(
        "EOFError|LOAD_ERROR",
        r"EOFError|EOF when reading",
        "nobody answers `input()` while grading: pass the value as an argument",
        True,
    ),
    Sign(
        "RuntimeError",
        r"one of the variables needed for gradient computation has been modified by an inplace",
        "an operation in place (`x += …`, `x[…] = …`) overwrites what the backward pass needs",
        True,
    ),
    Sign(
        "RuntimeError",
        r"Can't call numpy\(\) on Tensor that requires grad",
        "a tensor with gradients is handed to NumPy: `.detach()` it first",
        True,
    ),
    Sign(
        "RecursionError",
        r"maximum recursion depth",
        "a function calls itself without end",
        True,
    ),
)


def diagnosis(kind: str, message: str) -> tuple[str, bool]:
    """What an exception means, and whether its words leave no doubt; ("", False) if unknown."""
    for sign in SIGNS:
        found = re.search(sign.words, message)
        if found and re.fullmatch(sign.kind, kind):
            return sign.meaning.format(*found.groups()), sign.certain
    return "", False
