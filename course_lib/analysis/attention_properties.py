"""Three properties of attention, measured: scaling, order and cost.

Paper statements R17, R37, R41 (lectures/paper_audit.md).
"""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float, Int

from ..numpy_forms.attention import softmax

N_KEYS = 32  # keys per query in `score_statistics`


def score_statistics(
    d_k_values: Sequence[int], n_samples: int, rng: np.random.Generator
) -> tuple[Float[np.ndarray, "d"], Float[np.ndarray, "d"], Float[np.ndarray, "d 2"]]:
    """Statistics of random queries and keys: `(raw_variance, scaled_variance, max_weight)`.

    For each d_k: `n_samples` queries, each with `N_KEYS` keys of its own, all components standard
    normal. The variances are those of all `n_samples × N_KEYS` dot products, before (raw) and
    after (scaled) the division by √d_k. `max_weight[:, 0]` is the largest softmax weight of a
    query over its keys, averaged over the queries, for the raw scores; `max_weight[:, 1]` is the
    same for the scaled ones. Paper: §3.2.1, footnote 4.
    """
    raw_variance, scaled_variance, max_weight = [], [], []
    for d_k in d_k_values:
        # §3.2.1, footnote 4 — "independent random variables with mean 0 and variance 1"
        query = rng.standard_normal((n_samples, 1, d_k))
        key = rng.standard_normal((n_samples, N_KEYS, d_k))
        raw = (query * key).sum(axis=-1)
        # §3.2.1 — "we scale the dot products by 1/√d_k"
        scaled = raw / np.sqrt(d_k)
        raw_variance.append(raw.var())
        scaled_variance.append(scaled.var())
        max_weight.append([softmax(scores).max(axis=-1).mean() for scores in (raw, scaled)])
    return np.array(raw_variance), np.array(scaled_variance), np.array(max_weight)


def equivariance_gap(
    function: Callable[[np.ndarray], np.ndarray],
    x: Float[np.ndarray, "n d"],
    permutation: Int[np.ndarray, "n"],
) -> float:
    """Largest difference between permuting the tokens and permuting the results.

    Token i of the permuted input is `x[permutation[i]]`. Zero for every permutation means that
    `function` is permutation equivariant: it does not see the order. Paper: §3.5.
    """
    # §3.5 — "no recurrence and no convolution": without them, and without positions, it is 0
    permuted_first = function(x[permutation])
    permuted_last = function(x)[permutation]
    return float(np.max(np.abs(permuted_first - permuted_last)))


def operation_counts(n: int, d_model: int) -> dict[str, dict[str, int]]:
    """Leading terms of Table 1 for `n` tokens of width `d_model`.

    `result[layer]["operations"]` and `result[layer]["sequential"]`, the minimum number of
    sequential operations, for the layers "self-attention" and "recurrent". Constant factors and
    lower-order terms are left out, as in the table. Paper: §4, Table 1.
    """
    return {
        # §4, Table 1 — self-attention: O(n²·d) per layer, O(1) sequential operations
        "self-attention": {"operations": n * n * d_model, "sequential": 1},
        # §4, Table 1 — recurrent: O(n·d²) per layer, O(n) sequential operations
        "recurrent": {"operations": n * d_model * d_model, "sequential": n},
    }
