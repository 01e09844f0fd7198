"""Hidden tests of exercise 2.9: a measure of how much heads differ."""

import numpy as np
import torch

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

DIVERSITY = "exercise 2.9, the formula"


def weights_of(rng, *shape, sharp=2.0):
    return torch.from_numpy(sharp * rng.normal(size=shape)).softmax(-1)


def entropy(p, base=2.0):
    return -torch.xlogy(p, p).sum(-1) / np.log(base)


def pairs(n_heads):
    return [(i, j) for i in range(n_heads) for j in range(i)]


def divergences(weights, base=2.0):
    """(pairs, *batch, n_q): the Jensen-Shannon divergence of each pair of heads, row by row."""
    heads = weights.unbind(-3)
    return torch.stack(
        [
            entropy((heads[i] + heads[j]) / 2, base)
            - (entropy(heads[i], base) + entropy(heads[j], base)) / 2
            for i, j in pairs(len(heads))
        ]
    )


def mistakes(weights):
    """Name of each likely mistake → the value it would give, without a mask."""
    heads = weights.unbind(-3)
    each, right = divergences(weights), float(divergences(weights).mean())
    one_way = [
        (torch.xlogy(heads[i], heads[i]) - torch.xlogy(heads[i], heads[j])).sum(-1)
        for i, j in pairs(len(heads)) + [(j, i) for i, j in pairs(len(heads))]
    ]
    bits = torch.stack(one_way) / np.log(2)
    middle = torch.stack([entropy((heads[i] + heads[j]) / 2) for i, j in pairs(len(heads))])
    return {
        MISTAKE.diversity_nats: right * np.log(2),
        MISTAKE.diversity_self_pairs: right * (len(heads) - 1) / len(heads),
        "the sum over the pairs, not their mean": float(each.mean() * len(each)),
        MISTAKE.diversity_sum: float(each.sum()),
        MISTAKE.diversity_distance: float(each.clamp(min=0).sqrt().mean()),
        "one divergence of all heads from their common mean, not one for each pair": float(
            (entropy(weights.mean(-3)) - entropy(weights).mean(-2)).mean()
        ),
        **{
            MISTAKE.saying(
                f"Kullback-Leibler divergence in {which}: compare both heads with their mean"
            ): float(part.mean())
            for which, part in [
                ("both directions", bits),
                ("one direction", bits[: len(each)]),
                ("one direction, the later head first", bits[len(each) :]),
            ]
        },
        "only the entropy of the mixture": float(middle.mean()),
        "twice the divergence: the factor ½ is missing, or every pair is counted twice": 2 * right,
        "the rows are averaged before they are compared": float(
            divergences(weights.mean(-2, keepdim=True)).mean()
        ),
    }


def check(got, want, causes, otherwise, what):
    expect.true(
        isinstance(got, (int, float)) and not isinstance(got, bool),
        expected="a plain number",
        got=type(got).__name__,
        otherwise="return the mean as `float(…)`",
        read=DIVERSITY,
    )
    expect.close(got, want, atol=1e-6, otherwise=otherwise, read=DIVERSITY, what=what)


@exercise("2.9", weight=2)
def test_written_in_values(student):
    """Known values: ½ bit for two half-overlapping heads, and the pairwise mean of three heads."""
    half = torch.tensor([[[0.5, 0.5, 0.0]], [[0.0, 0.5, 0.5]]], dtype=torch.float64)
    quarter = torch.tensor([[[0.25, 0.75]], [[0.75, 0.25]], [[0.25, 0.75]]], dtype=torch.float64)
    check(
        student.head_diversity(half),
        0.5,
        {MISTAKE.diversity_nan_at_zero: np.nan, **mistakes(half)},
        "entropy of the mean of two heads, minus the mean of their entropies",
        "the diversity of (½, ½, 0) and (0, ½, ½)",
    )
    check(
        student.head_diversity(quarter),
        2 / 3 * (1 - (2 - 0.75 * np.log2(3))),
        mistakes(quarter),
        "entropy of the mean of two heads, minus the mean of their entropies",
        "the diversity of (¼, ¾), (¾, ¼) and (¼, ¾)",
    )


@exercise("2.9", weight=2)
def test_fresh_weights(student, rng):
    """The mean over pairs of heads and rows, with or without batch axes."""
    for shape in [(3, 4, 5), (2, 4, 3, 3), (2, 2, 3, 2, 4)]:
        weights = weights_of(rng, *shape)
        called = student.call(student.head_diversity, weights)
        check(
            called.value,
            float(divergences(weights).mean()),
            mistakes(weights),
            "the heads are the third axis from the end",
            f"the diversity of weights of shape {shape}",
        )
        expect.unchanged(called.changed)


@exercise("2.9")
def test_zeros(student):
    """Heads that attend to one key each: 0 for the same key, 1 for different keys, never NaN."""
    one_hot = torch.eye(4)[:, None]
    hint = {MISTAKE.diversity_nan_at_zero: np.nan}
    same = one_hot[[2, 2, 2]]
    check(
        student.head_diversity(same),
        0.0,
        hint,
        "equal heads have a divergence of 0",
        "the diversity of equal heads",
    )
    check(
        student.head_diversity(one_hot),
        1.0,
        {**hint, **mistakes(one_hot)},
        "heads that share no key differ by exactly one bit",
        "the diversity of disjoint heads",
    )


@exercise("2.9", weight=2)
def test_padding_rows(student, rng):
    """Query rows without an allowed key do not count, whatever their weights."""
    weights = weights_of(rng, 2, 3, 4, 4)
    keys = torch.ones(2, 1, 4, 4, dtype=torch.bool)
    keys[1, ..., 3] = False
    weights = (weights * keys) / (weights * keys).sum(-1, keepdim=True)
    rows = torch.ones(2, 1, 4, 1, dtype=torch.bool)
    rows[0, :, 3], rows[1, :, 2:] = False, False
    mask = keys & rows
    weights[0, :, 3], weights[1, :, 2:] = 0.0, torch.eye(4, dtype=torch.float64)[:3, None]
    each = divergences(weights)
    open_rows = rows[:, 0, :, 0].expand_as(each[0])
    for name, given in [("(batch, 1, n, n)", mask), ("of full size", mask.expand(2, 3, 4, 4))]:
        check(
            student.head_diversity(weights, given.clone()),
            float(each[:, open_rows].mean()),
            {
                MISTAKE.diversity_padding_counted: float(each.mean()),
                MISTAKE.diversity_padding_counts_as_zero: float((each * open_rows).mean()),
                "the mask is inverted: only padding rows are counted": float(
                    each[:, ~open_rows].mean()
                ),
                "in nats": float(each[:, open_rows].mean() * np.log(2)),
            },
            "leave those rows out of both the sum and the count",
            f"the diversity with a mask {name}",
        )


@exercise("2.9")
def test_masks_of_each_head(student, rng):
    """A row counts for a pair of heads if it has an allowed key in both."""
    weights = weights_of(rng, 2, 4, 4)
    mask = torch.ones(2, 4, 4, dtype=torch.bool)
    mask[:, 0] = False  # padding in both heads
    mask[1, 2] = mask[0, 3] = False  # and each head has a row that it alone has not
    weights[~mask] = 0.0
    each = divergences(weights)[0]
    check(
        student.head_diversity(weights, mask),
        float(each[1]),
        {
            MISTAKE.diversity_first_heads_mask: float(each[1:3].mean()),
            MISTAKE.diversity_either_heads_mask: float(each[1:].mean()),
            "only the last head's mask is used": float(each[[1, 3]].mean()),
            MISTAKE.diversity_padding_counted: float(each.mean()),
            "padding rows count as 0 in the mean": float(each[1] / 4),
        },
        "leave out rows that have no key in one of the two heads",
        "the diversity with a different mask for each head",
    )
    three = weights_of(rng, 3, 4, 4)
    mask = torch.ones(3, 4, 4, dtype=torch.bool)
    mask[2, 1:] = False  # 4 rows count for the first pair, 1 for each of the others
    three[~mask] = 0.0
    first, second, third = divergences(three)
    check(
        student.head_diversity(three, mask),
        float(first.sum() + second[0] + third[0]) / 6,
        {
            MISTAKE.diversity_mean_of_pairs: float(first.mean() + second[0] + third[0]) / 3,
            MISTAKE.diversity_rows_of_all_heads: float(first[0] + second[0] + third[0]) / 3,
        },
        "one mean over all rows of all pairs",
        "the diversity of three heads of which one has fewer rows",
    )


@exercise("2.9", beside=["test_written_in_values", "test_fresh_weights", "test_padding_rows"])
def test_nothing_to_compare(student, rng):
    """One head, or a mask that leaves no row, raises a ValueError."""
    weights = weights_of(rng, 2, 3, 3)
    expect.raises(
        lambda: student.head_diversity(weights[:1]),
        read="exercise 2.9, the docstring",
    )
    expect.raises(
        lambda: student.head_diversity(weights, torch.zeros(3, 3, dtype=torch.bool)),
        read="exercise 2.9, the docstring",
    )
