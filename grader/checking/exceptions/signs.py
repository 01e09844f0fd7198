"""The meaning of exceptions of Python and NumPy, read from their type and text alone.

A meaning is certain where the exception can have no other; otherwise it is advice.
"""

from typing import NamedTuple


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
        "NameError",
        r"name '(\w+)' is not defined",
        "`{0}` is neither an argument nor defined before: compute it from the arguments (sizes "
        "are in `.shape`), or run the cell that defines or imports it",
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
        "`if`, `and`, `not`, `max(x)` and `min(x)` need one truth value, not an array: test for an "
        "optional argument with `is not None`, combine booleans with `&`, `|`, `~`, and use "
        "`x.max(…)`",
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
        "IndexError|TypeError",
        r"too many indices for (?:tensor of dimension 0|array: array is 0-d)"
        r"|'(?:bool|numpy\.bool)' object is not subscriptable|invalid index to scalar variable",
        "one number or truth value is indexed like an array: without an axis, or along the only "
        "one, `max` and `sum` give one number; so does a comparison with a string: compare with "
        "the id",
    ),
    Sign(
        "ValueError",
        r"The requested array has an inhomogeneous shape",
        "parts of different shapes do not fit into one array: give them one shape (`keepdims=True` "
        "keeps an axis), or return them as a tuple, `a, b, c`",
        True,
    ),
    Sign(
        "TypeError|RuntimeError|UFuncTypeError|_?UFuncOutputCastingError",
        r"Cannot cast ufunc '\w+' output|result type \w+ can't be cast to the desired output type",
        "an integer array cannot take fractions in place (`x /= …`): make a new one, `x = x / …`",
        True,
    ),
    Sign(
        "ValueError|IndexError|AxisError|RuntimeError",
        r"axes don't match array|Dimension out of range|out of bounds for array of dimension"
        r"|too many indices for|permute\(.*number of dimensions in the tensor input",
        f"the code expects another number of axes: {FROM_THE_END}; `squeeze()` without an axis "
        "also removes a batch of one",
    ),
    Sign(
        "ValueError|RuntimeError",
        r"einstein sum|einsum\(\): the number of subscripts",
        "einsum is written for another number of axes: `...` stands for all leading ones",
    ),
    Sign(
        "ValueError",
        r"(?:matmul: .*mismatch in its core dimension.*\(size|not aligned:) (\d+)"
        r" (?:is different from|\(dim \d\) !=) (\d+)",
        "a matrix product over axes of sizes {1} and {0}: a factor or the order is not right, or "
        "two axes must change places (`.T` reverses the batch axes too)",
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
        "shapes ({0}) and ({1}) do not broadcast: from the right, sizes must be equal or 1 (a sum "
        "keeps its axis with `keepdims=True`; a matrix product is `@`, not `*`)",
    ),
    Sign(
        "AttributeError",
        r"'(?:numpy\.ndarray|Tensor)' object has no attribute '(\w+)'",
        "an array has no `{0}`: NumPy's and torch's methods differ, or another value is meant",
    ),
    Sign(
        "AttributeError|TypeError",
        r"\bNoneType\b",
        "a value is None: a function without `return` gives None, and so does an optional argument "
        "that was left out",
    ),
    Sign(
        "AttributeError|TypeError",
        r"'tuple' object has no attribute|must be Tensor, not tuple|'tuple' and '|and 'tuple'",
        "a function that returns several values gives a tuple: unpack it, `x, weights = …`",
    ),
    Sign(
        "AttributeError|TypeError",
        r"'list' object has no attribute '(shape|T|sum|mean|dim|size|view|transpose|swapaxes)'"
        r"|must be Tensor, not list|can't multiply sequence by non-int",
        "a Python list has no arithmetic: make an array (`np.array`) or a tensor of it first",
    ),
    Sign(
        "AttributeError",
        r"'(?:[\w.]*(?:function|method|method_descriptor)|type)' object has no attribute",
        "a function is used in place of its result: call it, with parentheses",
        True,
    ),
    Sign(
        "TypeError",
        r"'(?:int|float|numpy\.ndarray|Tensor|list|tuple|dict)' object is not callable",
        "a value is called like a function: is a layer or a function made of it, or its name used "
        "for something else?",
        True,
    ),
    Sign(
        "TypeError",
        r"^'([\w.]+)' object is not callable",
        "an object of `{0}` is called: its class defines `__call__`, or `forward` in an nn.Module",
    ),
    Sign(
        "AttributeError",
        r"'(?:int|float|bool|str)' object has no attribute '(\w+)'",
        "a plain number or text has no `{0}`: are the arguments in the right order? (`.item()`, "
        "`float(…)` and `len(…)` give plain numbers)",
    ),
    Sign(
        "AttributeError",
        r"'(list|tuple|dict|set|range|generator|zip|map|dict_\w+)' object has no attribute '(\w+)'",
        "a {0} has no `{1}`: make an array or a tensor of it first, or use another value",
    ),
    Sign(
        "AttributeError",
        r"'[\w.]+' object has no attribute '(\w+)'",
        "this object has no `{0}`: one of your own class is set in `__init__` as `self.{0} = …`, "
        "before anything that uses it (`super().__init__` may call your methods)",
    ),
    Sign(
        "TypeError|ValueError",
        r"can only convert an array of size 1|only (0-dimensional|length-1|size-1) arrays can be"
        r"|only one element tensors can be converted",
        "a function for one number (`math.exp`, `float`, `int`) is given a whole array: use the "
        "one of NumPy or torch",
        True,
    ),
    Sign(
        "TypeError",
        r"must be tuple of ints, ?but got float|'float' object cannot be interpreted as an integer"
        r"|slice indices must be integers|expected a sequence of integers or a single integer, got",
        "a size or an index is a float: divide sizes with `//`, or take `int(…)`",
        True,
    ),
    Sign(
        "AttributeError",
        r"module '(\w+)' has no attribute '(\w+)'",
        "`{0}` has no `{1}` (anymore): look for its new name, or import the right module",
    ),
    Sign(
        "EOFError",
        r"EOF when reading",
        "`input()` gets no answer while grading: pass the value as an argument",
        True,
    ),
    Sign(
        "RecursionError",
        r"maximum recursion depth",
        "infinite recursion: a function never stops calling itself",
        True,
    ),
)
