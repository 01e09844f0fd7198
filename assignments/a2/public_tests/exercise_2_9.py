"""The visible checks of exercise 2.9: the diversity of heads."""

import torch

from grader.checking.question import question, refusal

LOOK = torch.tensor([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.25, 0.625]])
BITS = "½ KL(p‖m) + ½ KL(q‖m) with m = ½(p + q), to base 2"


@question("2.9", weight=2, advice=BITS, read="exercise 2.9")
def test_identical_and_different(its):
    """Identical heads differ by 0 bits; the mean runs over all pairs of different heads."""
    same, apart = torch.stack([LOOK, LOOK]), torch.stack([LOOK, LOOK.roll(1, 1)])
    three, batch = torch.stack([LOOK, LOOK.flip(0), LOOK / 2 + 1 / 6]), torch.stack([same, apart])
    heads = {"identical": same, "on different keys": apart, "three": three, "of a batch": batch}
    found = {name: its.head_diversity(weights) for name, weights in heads.items()}
    return found | {"a plain number": isinstance(found["three"], (int, float))}


@question("2.9", corner=True, advice="0·log 0 counts as 0", read="exercise 2.9")
def test_no_common_key(its):
    """Heads that share no key differ by 1 bit: half of their weights are exactly 0."""
    return its.head_diversity(torch.eye(3)[:2, None])


@question("2.9", weight=2, advice="a row counts if it has a key in both heads", read="exercise 2.9")
def test_padding_rows(its):
    """Rows without an allowed key do not count; without pairs or rows there is a ValueError."""
    weights = torch.stack([LOOK, LOOK.flip(0), LOOK.roll(1, 1)])
    rows = torch.tensor([[True], [True], [False]])
    masks = {"padding": rows, "heads": torch.stack([rows, rows.flip(0), ~rows])}
    found = {f"{name} mask": its.head_diversity(weights, mask) for name, mask in masks.items()}
    found["one head"] = refusal(lambda: its.head_diversity(weights[:1]))
    return found | {"no rows": refusal(lambda: its.head_diversity(weights, rows & False))}


@question("2.9", weight=2, advice="list(grid.flat[:n_heads]), vmin=0, vmax=1", read="exercise 2.9")
def test_plot_heads(its):
    """One heat map per head, in order, with the unchanged weights, its number and the tokens."""
    weights, tokens = torch.stack([LOOK.roll(i, 1) / 2 for i in range(5)]).numpy(), list("abc")
    axes = its.plot_heads(weights, tokens)
    maps = [one.axes() for one in axes] if isinstance(axes, (list, tuple)) else []
    found = {"Axes in a list": len(maps)}
    for head, one in enumerate(maps):
        found |= {
            f"image of head {head}": one["images"],
            f"its limits, {head}": one["colour_limits"],
        }
        found[f"the title of head {head} has its number"] = str(head) in one["title"]
        for axis in "xy":  # the outer maps may name an axis for all
            found[f"{axis} labels of {head}"] = [n for n in one[f"{axis}ticklabels"] if n] or tokens
    found |= {f"{axis} has a name": any(one[f"{axis}label"] for one in maps) for axis in "xy"}
    wrong = {"two tokens": (weights, ["a", "b"]), "two rows": (weights[:, :2], tokens)}
    return found | {
        n: refusal(lambda pair=pair: its.plot_heads(*pair)) for n, pair in wrong.items()
    }
