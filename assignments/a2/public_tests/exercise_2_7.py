"""The visible checks of exercise 2.7: counting parameters."""

import numpy as np

from grader.checking.question import question


@question("2.7", advice="h times three matrices of d_model × d_k, and W^O", read="§3.2.2")
def test_base_size(its):
    """The base size has 1,048,576 weights and 2,048 biases."""
    found = its.parameter_counts(512, 8)
    whole = all(np.asarray(number).dtype.kind in "iu" for number in found)
    return dict(zip(("weights", "biases"), found, strict=True)) | {"they are integers": whole}


@question("2.7", advice="`bias=False` removes the biases and no weights")
def test_no_bias(its):
    """With `bias=False` there are 0 biases."""
    return its.parameter_counts(32, 4, bias=False)
