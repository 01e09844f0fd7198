"""Hidden tests of exercise 2.9: a measure of how much heads differ."""

import torch

from autograder.a2.tensors import normal
from grader.checking.question import question, refusal

DIVERSITY = "exercise 2.9, the formula"
FORMULA = "entropy of the mean of two heads, minus the mean of their entropies, in bits"
ROWS = "leave rows without a key in both heads out of the sum and of the count"
BESIDE = ["test_written_in_values", "test_fresh_weights", "test_padding_rows"]


def weights_of(rng, *shape):
    return (2 * normal(rng, *shape).double()).softmax(-1)


def diversity(its, case, *arguments):
    called = its.call(its.head_diversity, *arguments)
    plain = isinstance(called.value, (int, float))
    return {
        case: called.value,
        f"{case}: a plain number": plain,
        f"changed, {case}": called.changed,
    }


@question("2.9", weight=3, advice=FORMULA, read=DIVERSITY)
def test_written_in_values(its):
    """Known values: 0 bits for equal heads, 1 for disjoint ones, ½ for half-overlapping ones."""
    half = torch.tensor([[[0.5, 0.5, 0.0]], [[0.0, 0.5, 0.5]]], dtype=torch.float64)
    three = torch.tensor([[[0.25, 0.75]], [[0.75, 0.25]], [[0.25, 0.75]]], dtype=torch.float64)
    one_hot = torch.eye(4)[:, None]
    found = diversity(its, "(½, ½, 0) and (0, ½, ½)", half) | diversity(its, "disjoint", one_hot)
    found |= diversity(its, "equal heads", one_hot[[2, 2, 2]])
    return found | diversity(its, "(¼, ¾), (¾, ¼) and (¼, ¾)", three)


@question("2.9", weight=3, advice="the heads are the third axis from the end", read=DIVERSITY)
def test_fresh_weights(its, rng):
    """The mean over pairs of heads and rows, with or without batch axes."""
    found = {}
    for shape in [(3, 4, 5), (2, 4, 3, 3), (2, 2, 3, 2, 4)]:
        found |= diversity(its, f"weights of shape {shape}", weights_of(rng, *shape))
    return found


@question("2.9", weight=3, advice=ROWS, read=DIVERSITY)
def test_padding_rows(its, rng):
    """Query rows without an allowed key do not count, whatever their weights."""
    keys, rows = torch.ones(2, 1, 4, 4) > 0, torch.ones(2, 1, 4, 1) > 0
    keys[1, ..., 3] = rows[0, :, 3] = rows[1, :, 2:] = False
    mask, weights = keys & rows, weights_of(rng, 2, 3, 4, 4) * keys
    weights /= weights.sum(-1, keepdim=True)
    weights[0, :, 3], weights[1, :, 2:] = 0.0, torch.eye(4, dtype=torch.float64)[:3, None]
    full = diversity(its, "a mask of full size", weights, mask.expand(2, 3, 4, 4).clone())
    return diversity(its, "a mask (batch, 1, n, n)", weights, mask) | full


@question("2.9", advice=ROWS, read=DIVERSITY)
def test_masks_of_each_head(its, rng):
    """A row counts for a pair of heads if it has an allowed key in both."""
    two, three = torch.ones(2, 4, 4) > 0, torch.ones(3, 4, 4) > 0
    two[:, 0] = two[1, 2] = two[0, 3] = False  # padding, and a row that each head alone has not
    three[2, 1:] = False  # 4 rows count for the first pair, 1 for each of the others
    masks = {"two heads": two, "three heads": three}
    found = {}
    for name, mask in masks.items():
        found |= diversity(its, name, weights_of(rng, *mask.shape) * mask, mask)
    return found


@question("2.9", beside=BESIDE, advice="the mean is undefined: a ValueError", read=DIVERSITY)
def test_nothing_to_compare(its, rng):
    """One head, or a mask that leaves no row, raises a ValueError."""
    weights, nothing = weights_of(rng, 2, 3, 3), torch.zeros(3, 3, dtype=torch.bool)
    one = refusal(lambda: its.head_diversity(weights[:1]))
    return {"one head": one, "no row": refusal(lambda: its.head_diversity(weights, nothing))}
