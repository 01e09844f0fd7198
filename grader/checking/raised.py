"""Diagnoses an exception of the student's code from its type and message alone.

A test that knows its inputs can say more: see `expect.raising`.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Sign(NamedTuple):
    """A type and message of exceptions and their meaning. `certain`: they mean nothing else."""

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
        "`view` after `transpose` or `permute`: the tensor is no longer contiguous in memory; "
        "use `reshape`, or `.contiguous()` before `view`",
        True,
    ),
    Sign(
        "RuntimeError|ValueError",
        r"mat1 and mat2 shapes cannot be multiplied \((\d+x\d+) and (\d+x\d+)\)",
        "a {0} matrix is multiplied by a {1} matrix: the inner sizes must match, so one of them "
        "has the wrong size or needs a transpose",
        False,
    ),
    Sign(
        "ValueError",
        r"matmul: .*mismatch in its core dimension.*\(size (\d+) is different from (\d+)\)",
        "a matrix product over axes of sizes {1} and {0}: a transpose is missing or superfluous, "
        "or `.T` reverses the batch axes too",
        False,
    ),
    Sign(
        "RuntimeError",
        r"Expected size for first two dimensions of batch2 tensor to be",
        "a batched matrix product whose inner sizes differ: a transpose is missing or superfluous",
        False,
    ),
    Sign(
        "ValueError",
        r"could not be broadcast together with shapes \(([^)]*)\) \(([^)]*)\)",
        "shapes ({0}) and ({1}) do not broadcast: from the right, sizes must be equal or 1",
        False,
    ),
    Sign(
        "RuntimeError",
        r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)",
        "sizes {0} and {1} do not broadcast: print both shapes before this line; from the right, "
        "sizes must be equal or 1",
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
        "it needs a GPU: use the input's device (`x.device`) instead of a fixed one",
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
        "an in-place operation (`x += …`, `x[…] = …`) overwrites what the backward pass needs",
        True,
    ),
    Sign(
        "RuntimeError",
        r"Can't call numpy\(\) on Tensor that requires grad",
        "a tensor that requires grad is passed to NumPy: call `.detach()` first",
        True,
    ),
    Sign(
        "RecursionError",
        r"maximum recursion depth",
        "infinite recursion: a function never stops calling itself",
        True,
    ),
)


def diagnosis(kind: str, message: str) -> tuple[str, bool]:
    """What an exception means, and whether that is certain; ("", False) if unknown."""
    for sign in SIGNS:
        found = re.search(sign.words, message)
        if found and re.fullmatch(sign.kind, kind):
            return sign.meaning.format(*found.groups()), sign.certain
    return "", False
