"""Hidden tests of exercise 4.1: the causal mask."""

from grader.checking.question import question

ROWS = "row i is True up to column i, and False from there on"
READ = "§3.2.3; the mask convention of assignment 2: True = may attend"


@question("4.1", weight=3, advice=ROWS, read=READ)
def test_values(its):
    """True on the diagonal and below, (1, 1, n, n) and boolean."""
    masks = {f"causal_mask({n})": its.causal_mask(n) for n in (5, 2, 1)}
    return masks | {"dtypes": [str(mask.dtype) for mask in masks.values()]}


@question("4.1", advice="make it on `device`", read="the signature of 4.1", corner=True)
def test_device(its):
    """The mask is made on `device`, by default on the CPU."""
    # torch's "meta" device is on every machine: tensors without values
    where = its.make("lambda make: [make(4, *d).device.type for d in ((), ('meta',))]")
    return {"devices of causal_mask(4) and causal_mask(4, 'meta')": where(its.causal_mask)}
