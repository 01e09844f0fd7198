"""One head against several on a task that needs two pointers: a small Table 3, row (A).

Paper statement R74 (lectures/paper_audit.md).
"""

from collections.abc import Sequence

import torch

from ..attention import MultiHeadAttention
from .pointer_reader import PointerReader, accuracy, draw_examples, train


def compare_heads(
    n_heads_list: Sequence[int],
    seeds: Sequence[int],
    d_model: int = 32,
    steps: int = 100,
    n_train: int = 1024,
    n_validation: int = 512,
) -> list[dict[str, int | float]]:
    """Train a `PointerReader` for every number of heads and every seed; returns one row per run.

    A row is `{"n_heads", "seed", "parameters", "validation_accuracy"}`: `parameters` counts all
    trained numbers of the reader and is the same in every row; the accuracy is on held-out
    examples. The seed determines initial weights, examples and batches, so runs with the same seed
    see the same data. The global generator is left unchanged.
    """
    rows: list[dict[str, int | float]] = []
    for n_heads in n_heads_list:
        for seed in seeds:
            generator = torch.Generator().manual_seed(seed)
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                # §6.2, Table 3, row (A) — "keeping the amount of computation constant"
                attention = MultiHeadAttention(d_model, n_heads, dropout=0.0)
                reader = PointerReader(attention, d_model)
            train(reader, draw_examples(n_train, generator), steps, generator)
            fresh = draw_examples(n_validation, generator)
            rows.append(
                {
                    "n_heads": n_heads,
                    "seed": seed,
                    "parameters": sum(p.numel() for p in reader.parameters()),
                    "validation_accuracy": accuracy(reader, fresh),
                }
            )
    return rows
