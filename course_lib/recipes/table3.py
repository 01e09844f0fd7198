"""Table 3 of the paper as data: every row's model and training, and what the paper reports of it.

    row = chosen_row("B1")
    model = fast_model(VariantTransformer, 37_000, **row.model.arguments)

The rows have the names of their blocks, numbered from the top: A1 is one head, B1 is d_k = 16.

Paper statements R77, R78, R80, R81, R83 (lectures/paper_audit.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ..transformer_variants import VariantConfig

VOCABULARY = 37_000  # §5.1 — "a shared source-target vocabulary of about 37000 tokens"
LONGEST = 512  # positions of row (E): the paper does not say how many it learned


@dataclass(frozen=True)
class Reported:
    """The paper's result for a row: newstest2013, English to German."""

    perplexity: float  # per word piece
    bleu: float
    parameters: int | None = None  # millions; None: not listed, so that of the base model


@dataclass(frozen=True)
class Row:
    """One row: the model, and how its training differs from that of the base model."""

    name: str
    model: VariantConfig
    reported: Reported
    changed: str  # in the columns' names
    label_smoothing: float = 0.1  # §5.4 — ε_ls
    steps: int = 100_000  # §5.2
    hours: float = 12.0  # §5.2 — on eight P100
    averaged: int = 5  # §6.1 — "averaging the last 5 checkpoints"

    @property
    def checkpoints(self) -> int:
        """§6.1 — "written at 10-minute intervals": how many in the whole training."""
        return round(self.hours * 6)


# §6.2, Table 3 — "Unlisted values are identical to those of the base model"
ROWS: Mapping[str, Row] = {
    row.name: row
    for row in (
        Row("base", VariantConfig(), Reported(4.92, 25.8, 65), "—"),
        Row("A1", VariantConfig(n_heads=1), Reported(5.29, 24.9), "h = 1, d_k = d_v = 512"),
        Row("A2", VariantConfig(n_heads=4), Reported(5.00, 25.5), "h = 4, d_k = d_v = 128"),
        Row("A3", VariantConfig(n_heads=16), Reported(4.91, 25.8), "h = 16, d_k = d_v = 32"),
        Row("A4", VariantConfig(n_heads=32), Reported(5.01, 25.4), "h = 32, d_k = d_v = 16"),
        Row("B1", VariantConfig(d_k=16), Reported(5.16, 25.1, 58), "d_k = 16"),
        Row("B2", VariantConfig(d_k=32), Reported(5.01, 25.4, 60), "d_k = 32"),
        Row("C1", VariantConfig(n_layers=2), Reported(6.11, 23.7, 36), "N = 2"),
        Row("C2", VariantConfig(n_layers=4), Reported(5.19, 25.3, 50), "N = 4"),
        Row("C3", VariantConfig(n_layers=8), Reported(4.88, 25.5, 80), "N = 8"),
        Row(
            "C4",
            VariantConfig(d_model=256),
            Reported(5.75, 24.5, 28),
            "d_model = 256, d_k = d_v = 32",
        ),
        Row(
            "C5",
            VariantConfig(d_model=1024),
            Reported(4.66, 26.0, 168),
            "d_model = 1024, d_k = d_v = 128",
        ),
        Row("C6", VariantConfig(d_ff=1024), Reported(5.12, 25.4, 53), "d_ff = 1024"),
        Row("C7", VariantConfig(d_ff=4096), Reported(4.75, 26.2, 90), "d_ff = 4096"),
        Row("D1", VariantConfig(dropout=0.0), Reported(5.77, 24.6), "P_drop = 0.0"),
        Row("D2", VariantConfig(dropout=0.2), Reported(4.95, 25.5), "P_drop = 0.2"),
        Row("D3", VariantConfig(), Reported(4.67, 25.3), "ε_ls = 0.0", label_smoothing=0.0),
        Row("D4", VariantConfig(), Reported(5.47, 25.7), "ε_ls = 0.2", label_smoothing=0.2),
        Row(
            "E",
            VariantConfig(learned_positions=LONGEST),
            Reported(4.92, 25.7),
            "learned positions",
        ),
        Row(
            "big",
            VariantConfig(d_model=1024, d_ff=4096, n_heads=16, dropout=0.3),
            Reported(4.33, 26.4, 213),
            "d_model = 1024, d_ff = 4096, h = 16, P_drop = 0.3",
            steps=300_000,
            hours=84.0,  # §5.2 — "300,000 steps (3.5 days)"
            averaged=20,  # §6.1 — "For the big models, we averaged the last 20 checkpoints"
        ),
    )
}


def chosen_row(name: str) -> Row:
    """The row of this name. Raises ValueError, listing the known ones."""
    if name not in ROWS:
        raise ValueError(f"Table 3 has no row {name!r}: choose one of {', '.join(ROWS)}")
    return ROWS[name]


def parameter_count(model: VariantConfig, vocab_size: int) -> int:
    """The number of parameters of the model, by a closed formula, biases and norms included."""
    d, d_ff = model.d_model, model.d_ff
    keys = model.n_heads * (model.d_k or d // model.n_heads)
    values = model.n_heads * (model.d_v or d // model.n_heads)
    attention = 2 * (d * keys + keys) + (d * values + values) + (values * d + d)
    network = (d * d_ff + d_ff) + (d_ff * d + d)
    norm = 2 * d
    layer_of_encoder = attention + network + 2 * norm
    layer_of_decoder = 2 * attention + network + 3 * norm
    final_norms = 2 * norm if model.norm_first else 0
    embedding = (vocab_size + (model.learned_positions or 0)) * d
    return model.n_layers * (layer_of_encoder + layer_of_decoder) + final_norms + embedding


def vocabularies(row: Row) -> tuple[int, int]:
    """The smallest and largest vocabulary with which a row's model has the reported count.

    The paper rounds to millions. Raises ValueError for a row without a count of its own.
    """
    if row.reported.parameters is None:
        raise ValueError(f"Table 3 lists no parameters in row {row.name}")
    rest, d_model = parameter_count(row.model, 0), row.model.d_model
    millions = row.reported.parameters
    least = -(-(round((millions - 0.5) * 1e6) - rest) // d_model)
    most = (round((millions + 0.5) * 1e6) - rest) // d_model
    return least, most
