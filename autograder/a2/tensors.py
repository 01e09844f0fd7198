"""Random tensors and the parts of an answer, for the hidden tests of assignment 2."""

import torch

from grader.checking import expect


def normal(rng, *shape):
    """Standard normal float32 numbers."""
    return torch.from_numpy(rng.normal(size=shape)).float()


def parts(value, case=""):
    """The output and the weights by name, and their dtypes. Raises Failure unless there are two."""
    output, weights = expect.parts(value, 2, otherwise="return (output, weights)")
    dtypes = [str(getattr(part, "dtype", None)) for part in (output, weights)]
    return {f"the weights{case}": weights, f"the output{case}": output, f"dtypes{case}": dtypes}
