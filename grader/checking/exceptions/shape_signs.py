"""The meaning of exceptions about shapes and places, of NumPy and torch: see `signs`."""

from .signs import Sign

BOTH = "ValueError|RuntimeError"

SIGNS = (
    Sign(
        BOTH,
        r"cannot reshape array of size (\d+) into shape (\([\d,-]*\))",
        "{0} numbers do not fill {1}: the product of the new sizes must equal that of the old ones",
    ),
    Sign(
        BOTH,
        r"shape '(\[[\d, -]*\])' is invalid for input of size (\d+)",
        "{1} numbers do not fill {0}: the product of the new sizes must equal that of the old ones",
    ),
    Sign(
        BOTH,
        r"Sizes of tensors must match except in dimension|except for the concatenation axis must",
        "what is joined may differ in the joined axis alone: print the shapes, and look at `dim` "
        "or `axis`",
    ),
    Sign(
        BOTH,
        r"all input arrays must have the same shape|stack expects each tensor to be equal size",
        "only equal shapes can be stacked: fill the shorter ones up first, or join them along an "
        "axis that they have",
    ),
    Sign(
        BOTH,
        r"The expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\)",
        "a size of {1} is to become {0}: only an axis of size 1 expands, and what is written into "
        "a slice needs its shape",
    ),
    Sign(
        BOTH,
        r"could not broadcast input array from shape (\([\d,]*\)) into shape (\([\d,]*\))",
        "an array of shape {0} is written into a place of shape {1}: make them equal",
    ),
    Sign(
        "IndexError",
        r"boolean index did not match|The shape of the mask .* does not match",
        "a boolean index needs the shape of what it selects from, and does not broadcast: "
        "np.where, torch.where and `masked_fill` do",
        True,
    ),
    Sign(
        "IndexError|RuntimeError",
        r"index (-?\d+) is out of bounds for (?:dimension|axis) (\d+) with size (\d+)",
        "index {0} on an axis of size {2}: the last index is one less than the size; is it the "
        "right axis?",
    ),
    Sign(
        "IndexError",
        r"list index out of range",
        "an index is beyond the end of a list: the last one is `len(…) - 1`, and a list may be "
        "empty",
        True,
    ),
    Sign(
        "RuntimeError",
        r"tril: input tensor must have|triu: input tensor must have",
        "a triangle is cut from a matrix: make it `(n, n)` first",
        True,
    ),
    Sign(
        "RuntimeError",
        r"Given normalized_shape=\[(\d+)\]",
        "the norm was made for {0} features and gets another number: give it the width of its "
        "input, the last axis",
    ),
    Sign(
        "RuntimeError",
        r"Trying to create tensor with negative dimension|negative dimensions are not allowed",
        "a size is negative: `-1` is allowed in `reshape` and `view` only",
    ),
    Sign(
        BOTH,
        r"split_with_sizes expects|array split does not result",
        "the parts do not add up to the axis: look at the sizes and at `dim` or `axis`",
    ),
    Sign(
        BOTH,
        r"more operands were provided than|fewer operands were provided than",
        "the equation of einsum has another number of parts than there are arrays",
        True,
    ),
    Sign(
        BOTH,
        r"selected index k out of range",
        "`topk` is asked for more entries than the axis has",
        True,
    ),
    Sign(
        BOTH,
        r"cannot select an axis to squeeze out",
        "only an axis of size 1 can be squeezed out",
        True,
    ),
    Sign(
        BOTH,
        r"expected sequence of length \d+ at dim",
        "rows of different lengths make no array: fill the shorter ones up first",
        True,
    ),
    Sign(
        "ValueError",
        r"arg is an empty sequence|zero-size array to reduction",
        "the largest or smallest of nothing is asked for: what is empty here?",
    ),
    Sign(
        "IndexError",
        r"Target (-?\d+) is out of bounds",
        "the label {0} is no class: labels go from 0 to the number of classes - 1",
    ),
)
