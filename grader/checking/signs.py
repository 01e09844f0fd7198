"""The meaning of an exception, read from its type and text alone.

A meaning is certain where the exception can have no other; otherwise it is advice.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from ..seam.errors import LOAD_ERROR


class Sign(NamedTuple):
    """A type and message of exceptions and their meaning. `certain`: they mean nothing else."""

    kind: str  # a regular expression, like `words`
    words: str
    meaning: str  # may quote the groups of `words`, {0}, unless it is certain
    certain: bool = False


# where a number of axes is fixed, though the tests use several
FROM_THE_END = "count axes from the end (-1, -2), so that any number of leading axes works"
SIGNS = (
    Sign(
        "AttributeError",
        r"before Module\.__init__\(\) call|object has no attribute '_(modules|parameters|buffers)'",
        "`__init__` does not begin with `super().__init__()`: an nn.Module needs it first",
        True,
    ),
    Sign(
        "NotImplementedError",
        r'is missing the required "forward" function',
        "a module has no method `forward`: it computes its output there",
        True,
    ),
    Sign(
        "NotImplementedError",
        r"not implemented for '(\w+)'",
        "torch has no such operation for the dtype {0}: convert the tensor first, "
        "for example with `.float()`",
    ),
    Sign(
        "NameError",
        r"name '(\w+)' is not defined",
        "`{0}` is neither an argument nor defined before: compute it from the arguments (sizes "
        "are in `.shape`), or run the cell that defines it",
    ),
    Sign(
        "UnboundLocalError",
        r"local variable '",
        "a variable is used before it has a value: assign it on every path that leads here",
        True,
    ),
    Sign(
        "ValueError|RuntimeError",
        r"The truth value of an|Boolean value of Tensor",
        "`if`, `and`, `or` and `not` need one truth value, not an array: test for an optional "
        "argument with `is not None`, and combine booleans with `&`, `|`, `~`",
        True,
    ),
    Sign(
        "ValueError",
        r"not enough values to unpack|too many values to unpack",
        "the line unpacks a fixed number of values: of a shape, use only the last sizes "
        "(`x.shape[-1]`); of a result, as many names as it has parts",
    ),
    Sign(
        "IndexError",
        r"tuple index out of range",
        f"an index beyond the end, perhaps of a shape: {FROM_THE_END}",
    ),
    Sign(
        "ValueError|IndexError|RuntimeError",
        r"axes don't match array|Dimension out of range|out of bounds for array of dimension"
        r"|too many indices for|permute\(.*number of dimensions in the tensor input",
        f"the code expects another number of axes: {FROM_THE_END}",
    ),
    Sign(
        "ValueError|RuntimeError",
        r"einstein sum|einsum\(\): the number of subscripts",
        "einsum is written for another number of axes: `...` stands for all leading ones",
    ),
    Sign(
        "RuntimeError",
        r"(batch1|batch2|self) must be a (\d)D tensor|t\(\) expects a tensor with <= 2 dimensions",
        "`bmm`, `mm` and `t()` fix the number of axes: use `@` and `transpose(-2, -1)`",
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
    ),
    Sign(
        "ValueError",
        r"matmul: .*mismatch in its core dimension.*\(size (\d+) is different from (\d+)\)",
        "a matrix product over axes of sizes {1} and {0}: a transpose is missing or unnecessary, "
        "or `.T` reverses the batch axes too",
    ),
    Sign(
        "RuntimeError",
        r"Expected size for first two dimensions of batch2 tensor to be",
        "a batched matrix product whose inner sizes differ: a transpose is missing or unnecessary",
    ),
    Sign(
        "ValueError",
        r"could not be broadcast together with remapped shapes",
        "the leading axes of the two factors differ: `.T` reverses every axis; swap only the last "
        "two (`swapaxes(-1, -2)`)",
    ),
    Sign(
        "ValueError",
        r"could not be broadcast together with shapes \(([\d,]*)\) \(([\d,]*)\)",
        "shapes ({0}) and ({1}) do not broadcast: from the right, sizes must be equal or 1",
    ),
    Sign(
        "RuntimeError",
        r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)",
        "sizes {0} and {1} do not broadcast: print both shapes before this line; from the right, "
        "sizes must be equal or 1",
    ),
    Sign(
        "RuntimeError",
        r"(?s)loading state_dict.*Missing key\(s\) in state_dict: (.*?)\. \n"
        r"\s*Unexpected key\(s\) in state_dict: (.*?)\. ",
        "the names of the layers differ: the module has {0}, the state dict {1}; keep the "
        "handout's names",
    ),
    Sign(
        "RuntimeError",
        r"loading state_dict for \w+:\s*Missing key\(s\) in state_dict: "
        r"(\"[\w.]*\bbias\"(?:, \"[\w.]*\bbias\")*)\. $",
        "the module has {0}, the state dict has not: with `bias=False` layers have no bias",
    ),
    Sign(
        "RuntimeError",
        r"(?s)loading state_dict.*Missing key\(s\) in state_dict: (.*?)\. ",
        "the module has {0}, the state dict has not: leave out what the handout does not name",
    ),
    Sign(
        "RuntimeError",
        r"(?s)loading state_dict.*Unexpected key\(s\) in state_dict: (.*?)\. ",
        "the state dict has {0}, the module has not: make these in `__init__` under these names",
    ),
    Sign(
        "RuntimeError",
        r"size mismatch for ([\w.]+): .* torch\.Size\(\[([\d, ]*)\]\) from checkpoint, the shape "
        r"in current model is torch\.Size\(\[([\d, ]*)\]\)",
        "`{0}` of the module has the shape ({2}), in the state dict ({1}): check the sizes in "
        "`__init__`",
    ),
    Sign(
        "TypeError",
        r"must be Tensor, not numpy|arguments - got \(.*numpy\.ndarray",
        "a NumPy array is passed to torch: work with tensors, or convert it by `torch.as_tensor`",
        True,
    ),
    Sign(
        "AttributeError",
        r"'(?:numpy\.ndarray|Tensor)' object has no attribute '(\w+)'",
        "NumPy's arrays and torch's tensors have different methods: this one has no `{0}`",
    ),
    Sign(
        "AttributeError",
        r"module '(\w+)' has no attribute '(\w+)'",
        "`{0}` has no `{1}` (anymore): look for its new name, or import the right module",
    ),
    Sign(
        "RuntimeError|AssertionError",
        r"CUDA|cuda|NVIDIA driver",
        "it needs a GPU: use the input's device (`x.device`) instead of a fixed one",
    ),
    Sign(
        "EOFError",
        r"EOF when reading",
        "`input()` gets no answer while grading: pass the value as an argument",
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

_LOADING = re.compile(r"raised (\w+)(?:: (.*))?$", re.DOTALL)  # see `seam.loading`
# A call whose arguments do not fit the function, as Python, NumPy and torch say it.
_CALL = re.compile(
    r"(?P<function>[\w.<>]+)\(\) (missing \d+ required|takes |got multiple values for argument"
    r"|got an unexpected keyword argument '(?P<keyword>\w+)'|received an invalid combination)"
)
_OTHER_LIBRARY = {
    "keepdim": "NumPy calls it `keepdims`",
    "keepdims": "torch calls it `keepdim`",
    "dim": "NumPy calls it `axis`",
    "axis": "torch calls it `dim`",
}


def diagnosis(kind: str, message: str, names: Collection[str] = ()) -> tuple[str, bool]:
    """The meaning of an exception, and whether it is certain; ("", False) if unknown.

    `names`: functions and classes whose arguments follow the handout, since the test calls them.
    """
    if kind == LOAD_ERROR and (known := _LOADING.search(message)):
        kind, message = known.groups("")
    for sign in SIGNS:
        found = re.search(sign.words, message)
        if found and re.fullmatch(sign.kind, kind):
            return sign.meaning.format(*found.groups()), sign.certain
    if kind == "TypeError" and (call := _CALL.match(message)):
        return _of_call(call["function"], call["keyword"] or "", names), False
    return "", False


def _of_call(function: str, keyword: str, names: Collection[str]) -> str:
    """The advice for a call whose arguments do not fit."""
    if function.partition(".")[0] in names:
        return "the name, the number or the order of the parameters differs from the handout"
    called = f"`{function.removesuffix('.__init__').removesuffix('.forward')}`"
    if keyword:
        other = _OTHER_LIBRARY.get(keyword, "look at the names in its definition")
        return f"{called} has no argument `{keyword}`: {other}"
    return f"{called} is called with other arguments than it takes: look at its definition"
