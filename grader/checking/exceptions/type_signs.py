"""The meaning of exceptions about types, operators and values: see `signs`."""

from .signs import Sign

SIGNS = (
    Sign(
        "TypeError|UFuncTypeError",
        r"for \^=?: |ufunc 'bitwise_xor'",
        "`^` is no power in Python: write `**`",
        True,
    ),
    Sign(
        "TypeError|UFuncTypeError",
        r"ufunc 'invert'|bad operand type for unary ~|only implemented on integer and Boolean-type",
        "`~` inverts booleans: is this a mask of numbers, or None? `mask == 0` makes a boolean one",
        True,
    ),
    Sign(
        "TypeError|RuntimeError",
        r"`?-`? operator,.* (?:is not supported|bool tensor)|boolean (?:negative|subtract)",
        "booleans have no minus: invert a mask with `~`, or make numbers of it first",
        True,
    ),
    Sign(
        "RuntimeError",
        r"only supports boolean masks|expected condition to be a boolean",
        "a condition must be boolean: write `mask == 0`, or what is to be compared",
        True,
    ),
    Sign(
        "TypeError",
        r"object of type '(int|float|bool)' has no len\(\)",
        "`len` is called on a number, which may be the length already",
        True,
    ),
    Sign(
        "TypeError",
        r"'(int|float)' object is not subscriptable",
        "a number is indexed with `[…]`: is it what you think it is?",
        True,
    ),
    Sign(
        "TypeError",
        r"'(int|float|bool)' object is not iterable",
        "a number is looped over or summed: `range(n)` counts to it, `(n,)` holds it",
        True,
    ),
    Sign(
        "TypeError",
        r"can only concatenate (list|tuple|str) \(not|for [-/*]=?: '(list|tuple)' and",
        "a list, tuple or text is calculated with: take one of its parts, or make an array of it",
        True,
    ),
    Sign(
        "TypeError",
        r"must be real number, not ([\w.]+)",
        "a function for one number gets a value of the type {0}",
    ),
    Sign(
        "TypeError",
        r"Cannot interpret '\d+' as a data type",
        "several sizes are one tuple: `(2, 3)`, not `2, 3`",
        True,
    ),
    Sign(
        "TypeError",
        r"unhashable type: '([\w.]+)'",
        "a value of the type {0} can be no key and no member of a set: make a tuple of it",
    ),
    Sign(
        "TypeError",
        r"not supported between instances of '([\w.]+)' and '([\w.]+)'",
        "a value of the type {0} is compared with one of the type {1}",
    ),
    Sign(
        "TypeError|ValueError",
        r"params argument given to the optimizer|optimizer got an empty parameter list",
        "an optimizer gets `model.parameters()`, and the model needs some: are its layers "
        "attributes, or in an nn.ModuleList?",
    ),
    Sign(
        "TypeError",
        r"cannot assign '[\w.]+' as (?:parameter|child module) '(\w+)'",
        "`{0}` is a parameter or a part of the module: wrap the tensor in `nn.Parameter(…)`, or "
        "write into it with `copy_` under `torch.no_grad()`",
    ),
    Sign(
        "RuntimeError",
        r"could not infer output dtype|expected target dtype to be Long|(?:Float|Double|Long|Bool) "
        r"did not match",
        "the dtype does not fit: a mean needs `.float()`, a label needs `.long()`",
    ),
    Sign(
        "RuntimeError",
        r"a Tensor with \d+ elements cannot be converted to Scalar",
        "`.item()` is for one number: reduce the tensor first, or use `.tolist()`",
        True,
    ),
    Sign(
        "RuntimeError",
        r"probability tensor contains either",
        "a probability is NaN, infinite or negative: was a row divided by 0, or are these logits?",
    ),
    Sign(
        "KeyError",
        r"^(.+)$",
        "there is no key {0}: print the keys that there are",
    ),
    Sign(
        "ZeroDivisionError",
        r"",
        "something is divided by 0: which count or length can be 0 here?",
    ),
    Sign(
        "ValueError|OverflowError",
        r"math domain error|math range error|expected a (?:nonnegative|positive) input",
        "the root or logarithm of such a number does not exist, or a power is too large",
    ),
    Sign(
        "StopIteration",
        r"",
        "an iterator has nothing left: a generator can be read once, a list again and again",
    ),
    Sign(
        "TypeError",
        r"(?:cannot unpack non-iterable |^')([\w.]+)'? object(?: is not iterable|$)",
        "a value of the type {0} is looped over or unpacked: is it the value that you mean?",
    ),
    Sign(
        "TypeError",
        r"^'([\w.]+)' object (?:is not subscriptable|does not support item assignment)",
        "a value of the type {0} is indexed with `[…]`: is it the value that you mean?",
    ),
    Sign(
        "TypeError|IndexError",
        r"(?:list|tuple|string) indices must be integers|only integers, slices|indices must be of "
        r"integer|converted to (?:a scalar|an) index|object cannot be interpreted as an integer",
        "an index, a size or a count must be a whole number: print the value that is used as one",
    ),
    Sign(
        "TypeError",
        r"unsupported operand type\(s\) for (.+): '([\w.]+)' and '([\w.]+)'",
        "`{0}` does not work for values of the types {1} and {2}: is each the value that you mean?",
    ),
    Sign(
        "TypeError",
        r"bad operand type for unary (.): '([\w.]+)'",
        "`{0}` does not work for a value of the type {1}: is it the value that you mean?",
    ),
    Sign(
        "TypeError",
        r"(\w+)\(\): argument '(\w+)' .*must be (?:an? )?([\w.]+(?: of \w+)?),? (?:not|but got) "
        r"(?:an? )?([\w.]+)",
        "`{0}` needs a {2} for `{1}` and gets a {3}: are the arguments in the right order?",
    ),
    Sign(
        "TypeError",
        r"object of type '([\w.]+)' has no len\(\)",
        "`len` is called on a value of the type {0}: is it the value that you mean?",
    ),
    Sign(
        "TypeError",
        r"^(\w+) is not an Optimizer",
        "a schedule is made of an optimizer, and gets a value of the type {0}",
    ),
    Sign(
        "TypeError",
        r"exceptions must derive from BaseException",
        "`raise` needs an exception: `raise ValueError(…)`",
        True,
    ),
    Sign(
        "ValueError",
        r"dropout probability has to be between 0 and 1, but got ([\w.-]+)",
        "a rate of dropout is {0}: are the arguments in the right order?",
    ),
    Sign(
        "ValueError",
        r"zip\(\) argument \d is (longer|shorter)",
        "the parts that `zip` pairs are not equally many: print the length of each",
        True,
    ),
)
