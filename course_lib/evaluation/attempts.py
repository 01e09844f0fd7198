"""The chance that one of several attempts is right (pass@k)."""

from math import comb


def at_least_one(n: int, right: int, k: int) -> float:
    """The unbiased estimate that one of k answers is right, from n answers of which `right` are.

    The share of all choices of k among the n answers that hold a right one (Chen et al. 2021,
    Eq. 1). Putting the share into 1 − (1 − right / n)^k instead gives too little.
    Raises ValueError unless 1 ≤ k ≤ n and 0 ≤ right ≤ n.
    """
    if not (1 <= k <= n and 0 <= right <= n):
        raise ValueError(f"n = {n}, right = {right}, k = {k}: give 1 ≤ k ≤ n and 0 ≤ right ≤ n")
    return 1 - comb(n - right, k) / comb(n, k)
