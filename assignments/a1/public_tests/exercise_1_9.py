"""The visible checks of exercise 1.9: what attention costs."""

import numpy as np

from grader.checking.question import question

READ = "§4, Table 1"
LAYERS = ("self-attention", "recurrent")


@question("1.9", advice="leading term only, without constant factors", read=READ)
def test_operations(its):
    """Five tokens of width 512: leading terms of the operations."""
    counts = its.operation_counts(5, 512)
    found = {f"{layer} operations": counts[layer]["operations"] for layer in LAYERS}
    whole = all(np.asarray(number).dtype.kind in "iu" for number in found.values())
    return {"they are integers": whole} | found


@question("1.9", advice="which results must exist before the next one can start?", read=READ)
def test_sequential_steps(its):
    """Self-attention takes one sequential step; a recurrent layer takes one per token."""
    counts = its.operation_counts(7, 16)
    return {f"{layer} sequential steps": counts[layer]["sequential"] for layer in LAYERS}
