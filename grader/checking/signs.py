"""The meaning of exceptions of Python and NumPy, read from their type and text alone.

A meaning is certain where the exception can have no other; otherwise it is advice.
"""

import re
from typing import NamedTuple


class Sign(NamedTuple):
    """A type and message of exceptions and their meaning. `certain`: they mean nothing else."""

    kind: str  # a regular expression, like `words`
    words: str
    meaning: str  # may quote the groups of `words`, {0}, unless it is certain
    certain: bool


def read(table: str) -> tuple[Sign, ...]:
    """The signs of a table: `kind : words`, or `kind ! words` if certain, and below it the meaning.

    The meaning is indented by four spaces, by two what continues the words of the line above.
    """
    found = []
    for sign in re.finditer(r"(?m)^(\S+) ([:!]) ?(.*(?:\n  \S.*)*)((?:\n    .*)+)", table):
        words, meaning = re.sub(r"\n  ", "", sign[3]), " ".join(sign[4].split())
        found.append(Sign(sign[1], words, meaning, sign[2] == "!"))
    return tuple(found)


SIGNS = read(r"""
NameError : name '(\w+)' is not defined
    `{0}` is neither an argument nor defined before: compute it from the arguments (sizes are
    in `.shape`), or run the cell that defines or imports it
UnboundLocalError ! local variable '
    a variable is used before it has a value: assign it on every path that leads here
ValueError|RuntimeError ! The truth value of an|Boolean value of Tensor
    `if`, `and`, `not`, `max(x)` and `min(x)` need one truth value, not an array: test for an
    optional argument with `is not None`, combine booleans with `&`, `|`, `~`, and use
    `x.max(…)`
ValueError : not enough values to unpack|too many values to unpack
    the line unpacks a fixed number of values: of a shape, use only the last sizes
    (`x.shape[-1]`); of a result, as many names as it has parts
IndexError : tuple index out of range
    an index beyond the end, perhaps of a shape: count axes from the end (-1, -2), so that any
    number of leading axes works
IndexError|TypeError : too many indices for (?:tensor of dimension 0|array: array is 0-d)
  |'(?:bool|numpy\.bool)' object is not subscriptable|invalid index to scalar variable
    one number or truth value is indexed like an array: without an axis, or along the only
    one, `max` and `sum` give one number; so does a comparison with a string: compare with the
    id
ValueError ! The requested array has an inhomogeneous shape
    parts of different shapes do not fit into one array: give them one shape (`keepdims=True`
    keeps an axis), or return them as a tuple, `a, b, c`
TypeError|RuntimeError|UFuncTypeError|_?UFuncOutputCastingError ! Cannot cast ufunc '\w+' output
  |result type \w+ can't be cast to the desired output type
    an integer array cannot take fractions in place (`x /= …`): make a new one, `x = x / …`
ValueError|IndexError|AxisError|RuntimeError : axes don't match array|Dimension out of range
  |out of bounds for array of dimension|too many indices for
  |permute\(.*number of dimensions in the tensor input
    the code expects another number of axes: count axes from the end (-1, -2), so that any
    number of leading axes works; `squeeze()` without an axis also removes a batch of one
ValueError|RuntimeError : einstein sum|einsum\(\): the number of subscripts
    einsum is written for another number of axes: `...` stands for all leading ones
ValueError : (?:matmul: .*mismatch in its core dimension.*\(size
  |not aligned:) (\d+) (?:is different from|\(dim \d\) !=) (\d+)
    a matrix product over axes of sizes {1} and {0}: a factor or the order is not right, or
    two axes must change places (`.T` reverses the batch axes too)
ValueError : matmul: .*does not have enough dimensions
    a plain number is a factor of `@`: a product with a number is `*`
ValueError : could not be broadcast together with remapped shapes
    the leading axes of the two factors differ: `.T` reverses every axis; swap only the last
    two (`swapaxes(-1, -2)`)
ValueError : could not be broadcast together with shapes \(([\d,]*)\) \(([\d,]*)\)
    shapes ({0}) and ({1}) do not broadcast: from the right, sizes must be equal or 1 (a sum
    keeps its axis with `keepdims=True`; a matrix product is `@`, not `*`)
AttributeError : '(?:numpy\.ndarray|Tensor)' object has no attribute '(\w+)'
    an array has no `{0}`: NumPy's and torch's methods differ, or another value is meant
AttributeError|TypeError : \bNoneType\b
    a value is None: a function without `return` gives None, and so does an optional argument
    that was left out
AttributeError|TypeError : 'tuple' object has no attribute|must be Tensor, not tuple
  |'tuple' and '|and 'tuple'
    a function that returns several values gives a tuple: unpack it, `x, weights = …`
AttributeError|TypeError : 'list' object has no attribute '(shape|T|sum|mean|dim|size|view
  |transpose|swapaxes)'|must be Tensor, not list|can't multiply sequence by non-int
    a Python list has no arithmetic: make an array (`np.array`) or a tensor of it first
AttributeError ! '(?:[\w.]*(?:function|method|method_descriptor)|type)' object has no attribute
    a function is used in place of its result: call it, with parentheses
TypeError ! '(?:int|float|numpy\.ndarray|Tensor|list|tuple|dict)' object is not callable
    a value is called like a function: is a layer or a function made of it, or its name used
    for something else?
TypeError : ^'([\w.]+)' object is not callable
    an object of `{0}` is called: its class defines `__call__`, or `forward` in an nn.Module
AttributeError : '(?:int|float|bool|str)' object has no attribute '(\w+)'
    a plain number or text has no `{0}`: are the arguments in the right order? (`.item()`,
    `float(…)` and `len(…)` give plain numbers)
AttributeError : '(list|tuple|dict|set|range|generator|zip|map
  |dict_\w+)' object has no attribute '(\w+)'
    a {0} has no `{1}`: make an array or a tensor of it first, or use another value
AttributeError : '[\w.]+' object has no attribute '(\w+)'
    this object has no `{0}`: in your own class, it is set in `__init__` as `self.{0} = …`,
    before its use (`super().__init__` may call your methods); a given object has what the
    handout names
TypeError|ValueError ! can only convert an array of size 1|only (0-dimensional|length-1
  |size-1) arrays can be|only one element tensors can be converted
    a function for one number (`math.exp`, `float`, `int`) is given a whole array: use the one
    of NumPy or torch
TypeError ! must be tuple of ints, ?but got float
  |'float' object cannot be interpreted as an integer|slice indices must be integers
  |expected a sequence of integers or a single integer, got
    a size or an index is a float: divide sizes with `//`, or take `int(…)`
AttributeError : module '(\w+)' has no attribute '(\w+)'
    `{0}` has no `{1}` (anymore): look for its new name, or import the right module
EOFError ! EOF when reading
    `input()` gets no answer while grading: pass the value as an argument
RecursionError ! maximum recursion depth
    infinite recursion: a function never stops calling itself
ValueError|RuntimeError : cannot reshape array of size (\d+) into shape (\([\d,-]*\))
    {0} numbers do not fill {1}: the product of the new sizes must equal that of the old ones
ValueError|RuntimeError : shape '(\[[\d, -]*\])' is invalid for input of size (\d+)
    {1} numbers do not fill {0}: the product of the new sizes must equal that of the old ones
ValueError|RuntimeError : Sizes of tensors must match except in dimension
  |except for the concatenation axis must
    what is joined may differ in the joined axis alone: print the shapes, and look at `dim` or
    `axis`
ValueError|RuntimeError : all input arrays must have the same shape
  |stack expects each tensor to be equal size
    only equal shapes can be stacked: fill the shorter ones up first, or join them along an
    axis that they have
ValueError|RuntimeError : The expanded size of the tensor \((\d+)\) must match the existing
  [ ]size \((\d+)\)
    a size of {1} is to become {0}: only an axis of size 1 expands, and what is written into a
    slice needs its shape
ValueError|RuntimeError : could not broadcast input array from shape (\([\d,]*\)) into shape
  [ ](\([\d,]*\))
    an array of shape {0} is written into a place of shape {1}: make them equal
IndexError ! boolean index did not match|The shape of the mask .* does not match
    a boolean index needs the shape of what it selects from, and does not broadcast: np.where,
    torch.where and `masked_fill` do
IndexError|RuntimeError : index (-?\d+) is out of bounds for (?:dimension
  |axis) (\d+) with size (\d+)
    index {0} on an axis of size {2}: the last index is one less than the size; is it the
    right axis?
IndexError ! list index out of range
    an index is beyond the end of a list: the last one is `len(…) - 1`, and a list may be
    empty
RuntimeError ! tril: input tensor must have|triu: input tensor must have
    a triangle is cut from a matrix: make it `(n, n)` first
RuntimeError : Given normalized_shape=\[(\d+)\]
    the norm was made for {0} features and gets another number: give it the width of its
    input, the last axis
ValueError|RuntimeError : tensor with negative dimension|negative dimensions are not allowed
    a size is negative: `-1` is allowed in `reshape` and `view` only
ValueError|RuntimeError : split_with_sizes expects|array split does not result
    the parts do not add up to the axis: look at the sizes and at `dim` or `axis`
ValueError|RuntimeError ! more operands were provided than|fewer operands were provided than
    the equation of einsum has another number of parts than there are arrays
ValueError|RuntimeError ! selected index k out of range
    `topk` is asked for more entries than the axis has
ValueError|RuntimeError ! cannot select an axis to squeeze out
    only an axis of size 1 can be squeezed out
ValueError|RuntimeError ! expected sequence of length \d+ at dim
    rows of different lengths make no array: fill the shorter ones up first
ValueError : arg is an empty sequence|argument is empty|zero-size array to reduction
    the largest or smallest of nothing is asked for: what is empty here?
IndexError : Target (-?\d+) is out of bounds
    the label {0} is no class: labels go from 0 to the number of classes - 1
TypeError|UFuncTypeError ! for \^=?: |ufunc 'bitwise_xor'
    `^` is no power in Python: write `**`
TypeError|UFuncTypeError ! ufunc 'invert'|bad operand type for unary ~
  |only implemented on integer and Boolean-type
    `~` inverts booleans: is this a mask of numbers, or None? `mask == 0` makes a boolean one
TypeError|RuntimeError ! `?-`? operator,.* (?:is not supported|bool tensor)|boolean (?:negative
  |subtract)
    booleans have no minus: invert a mask with `~`, or make numbers of it first
RuntimeError ! only supports boolean masks|expected condition to be a boolean
    a condition must be boolean: write `mask == 0`, or what is to be compared
TypeError ! object of type '(int|float|bool)' has no len\(\)
    `len` is called on a number, which may be the length already
TypeError ! '(int|float)' object is not subscriptable
    a number is indexed with `[…]`: is it what you think it is?
TypeError ! '(int|float|bool)' object is not iterable
    a number is looped over or summed: `range(n)` counts to it, `(n,)` holds it
TypeError ! can only concatenate (list|tuple|str) \(not|for [-/*]=?: '(list|tuple)' and
    a list, tuple or text is calculated with: take one of its parts, or make an array of it
TypeError : must be real number, not ([\w.]+)
    a function for one number gets a value of the type {0}
TypeError ! Cannot interpret '\d+' as a data type
    several sizes are one tuple: `(2, 3)`, not `2, 3`
TypeError : unhashable type: '([\w.]+)'
    a value of the type {0} can be no key and no member of a set: make a tuple of it
TypeError : not supported between instances of '([\w.]+)' and '([\w.]+)'
    a value of the type {0} is compared with one of the type {1}
TypeError|ValueError : params argument given to the optimizer|optimizer got an empty parameter list
    an optimizer gets `model.parameters()`, and the model needs some: are its layers
    attributes, or in an nn.ModuleList?
TypeError : cannot assign '[\w.]+' as (?:parameter|child module) '(\w+)'
    `{0}` is a parameter or a part of the module: wrap the tensor in `nn.Parameter(…)`, or
    write into it with `copy_` under `torch.no_grad()`
RuntimeError : could not infer output dtype|expected target dtype to be Long|(?:Float|Double
  |Long|Bool) did not match
    the dtype does not fit: a mean needs `.float()`, a label needs `.long()`
RuntimeError ! a Tensor with \d+ elements cannot be converted to Scalar
    `.item()` is for one number: reduce the tensor first, or use `.tolist()`
RuntimeError : probability tensor contains either
    a probability is NaN, infinite or negative: was a row divided by 0, or are these logits?
KeyError : ^(.+)$
    there is no key {0}: print the keys that there are
ZeroDivisionError :
    something is divided by 0: which count or length can be 0 here?
ValueError|OverflowError : math domain error|math range error|Numerical result out of range
  |expected a (?:nonnegative|positive) input
    the root or logarithm of such a number does not exist, or a power is too large
StopIteration :
    an iterator has nothing left: a generator can be read once, a list again and again
TypeError : (?:cannot unpack non-iterable |^')([\w.]+)'? object(?: is not iterable|$)
    a value of the type {0} is looped over or unpacked: is it the value that you mean?
TypeError : ^'([\w.]+)' object (?:is not subscriptable|does not support item assignment)
    a value of the type {0} is indexed with `[…]`: is it the value that you mean?
TypeError|IndexError : (?:list|tuple|string) indices must be integers|only integers, slices
  |indices must be of integer|converted to (?:a scalar|an) index
  |object cannot be interpreted as an integer
    an index, a size or a count must be a whole number: print the value that is used as one
TypeError : unsupported operand type\(s\) for (.+): '([\w.]+)' and '([\w.]+)'
    `{0}` does not work for values of the types {1} and {2}: is each the value that you mean?
TypeError : bad operand type for unary (.): '([\w.]+)'
    `{0}` does not work for a value of the type {1}: is it the value that you mean?
TypeError : (\w+)\(\): argument '(\w+)' .*must be (?:an? )?([\w.]+(?: of \w+)?),? (?:not
  |but got) (?:an? )?([\w.]+)
    `{0}` needs a {2} for `{1}` and gets a {3}: are the arguments in the right order?
TypeError : object of type '([\w.]+)' has no len\(\)
    `len` is called on a value of the type {0}: is it the value that you mean?
TypeError : ^(\w+) is not an Optimizer
    a schedule is made of an optimizer, and gets a value of the type {0}
TypeError ! exceptions must derive from BaseException
    `raise` needs an exception: `raise ValueError(…)`
ValueError : dropout probability has to be between 0 and 1, but got ([\w.-]+)
    a rate of dropout is {0}: are the arguments in the right order?
ValueError ! zip\(\) argument \d is (longer|shorter)
    the parts that `zip` pairs are not equally many: print the length of each
""")
