"""Sizes of a `Transformer` that have a name: the paper's two, and two for less of a machine.

    model = Transformer(37_000, **SIZES["base"])

"base" and "large" (the paper's "big") are rows of Table 3, where a shared vocabulary of about
37,000 tokens makes them 65 and 213 million parameters.
"""

from collections.abc import Mapping
from typing import Any

SIZES: Mapping[str, Mapping[str, Any]] = {
    "tiny": {"n_layers": 2, "d_model": 64, "n_heads": 4, "d_ff": 256, "dropout": 0.0},
    "cpu": {"n_layers": 2, "d_model": 128, "n_heads": 4, "d_ff": 512, "dropout": 0.1},
    "colab": {"n_layers": 3, "d_model": 256, "n_heads": 4, "d_ff": 1024, "dropout": 0.3},
    # §6.2, Table 3 — the row "base"
    "base": {"n_layers": 6, "d_model": 512, "n_heads": 8, "d_ff": 2048, "dropout": 0.1},
    # §6.2, Table 3 — the row "big"
    "large": {"n_layers": 6, "d_model": 1024, "n_heads": 16, "d_ff": 4096, "dropout": 0.3},
}
