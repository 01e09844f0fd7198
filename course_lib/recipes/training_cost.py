"""The cost of a training run: its floating-point operations, and the hours on given processors.

Computed, not measured: a share of the processor's peak has to be assumed.

Paper statement R78 (lectures/paper_audit.md).
"""

from dataclasses import dataclass

from ..transformer_variants import VariantConfig
from .table2 import BATCH_TOKENS
from .table3 import Row, parameter_count

SENTENCE = 25  # tokens of a mean sentence: attention grows with it, and is small beside the rest


@dataclass(frozen=True)
class Processor:
    """A processor: its speed at the precision that is used, and the share of it to expect."""

    name: str
    peak: float  # floating-point operations a second, dense
    share: float  # 0 to 1: an assumption


# The peak is that of NVIDIA's data sheet, TF32 without sparsity. Scaled-down products and the
# optimizer leave most of it unused.
H100 = Processor("H100 SXM, TF32", peak=494.7e12, share=0.3)
P100_SPEED = 9.5e12  # footnote 5 — what the paper counts for a P100
P100S = 8  # §5.2 — "one machine with 8 NVIDIA P100 GPUs"


def parameter_flops(model: VariantConfig, vocab_size: int, tokens: float) -> float:
    """6 · N · D: each parameter is used once a token of its side, forward and twice backward.

    `tokens` are those of one side. The shared matrix counts once, for the logits.
    """
    return 6.0 * parameter_count(model, vocab_size) * tokens


def attention_flops(model: VariantConfig, tokens: float, sentence: int = SENTENCE) -> float:
    """The products Q Kᵀ and A V, which 6 · N · D leaves out (§4, Table 1: n² · d a sentence).

    Three attentions a pair of layers: of the source, of the target, and of one to the other.
    """
    head = model.d_model // model.n_heads
    width = model.n_heads * ((model.d_k or head) + (model.d_v or head))
    return 6.0 * 3 * model.n_layers * width * sentence * tokens


def training_flops(row: Row, vocab_size: int) -> float:
    """Floating-point operations of a whole training by a row."""
    tokens = float(BATCH_TOKENS) * row.steps
    return parameter_flops(row.model, vocab_size, tokens) + attention_flops(row.model, tokens)


def processor_hours(flops: float, processor: Processor) -> float:
    """The hours of one processor."""
    return flops / (processor.peak * processor.share) / 3600


def papers_flops(row: Row) -> float:
    """The paper's estimate in Table 2: hours times processors times their speed."""
    return row.hours * 3600 * P100S * P100_SPEED


def papers_share(row: Row, vocab_size: int) -> float:
    """The share of `P100_SPEED` that the paper's training used, by our count."""
    return training_flops(row, vocab_size) / papers_flops(row)
