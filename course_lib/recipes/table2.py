"""The paper's four translators of Table 2, as trainings of rows of Table 3 on whole corpora.

Paper statements R77, R79, R82 (lectures/paper_audit.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass

BEAM = 4  # §6.1 — "beam search with a beam size of 4 and length penalty α = 0.6"
LENGTH_PENALTY = 0.6
LONGER = 50  # §6.1 — "input length + 50"
BATCH_TOKENS = 25_000  # §5.1 — of the source, and as many of the target
WARMUP_STEPS = 4_000  # §5.3


@dataclass(frozen=True)
class Claim:
    """One translator: its row of Table 3, its corpus, and the BLEU that the paper reports."""

    row: str
    corpus: str
    bleu: float  # newstest2014
    vocab_size: int  # §5.1
    dropout: float | None = None  # None: that of the row


CLAIMS: Mapping[tuple[str, str], Claim] = {
    (claim.row, claim.corpus): claim
    for claim in (
        Claim("base", "wmt14_en_de", 27.3, 37_000),
        Claim("base", "wmt14_en_fr", 38.1, 32_000),
        Claim("big", "wmt14_en_de", 28.4, 37_000),
        # §6.1 — "used dropout rate P_drop = 0.1, instead of 0.3"
        Claim("big", "wmt14_en_fr", 41.8, 32_000, dropout=0.1),
    )
}
