"""Profiles of pre-training an encoder and fine-tuning it: for a test, for a laptop.

settings = profile("cpu")
pretrained = pretrain(*unlabelled(settings), settings, seed=0)
"""

from dataclasses import dataclass, replace
from typing import Literal

from ..config import TransformerConfig
from .profiles import Profile, chosen


@dataclass(frozen=True)
class MaskedLanguageProfile(Profile):
    """How an encoder is pre-trained on texts, and fine-tuned on labeled sentences of `dataset`.

    `epochs`, `max_tokens` and `learning_rate` are those of the pre-training.
    """

    max_tokens: int = 2048
    learning_rate: float = 1e-3
    average_from: float = 0.8
    label_smoothing: float = 0.0
    unlabelled: tuple[str, ...] = ()  # data sets whose texts are read, without their labels
    length: int = 64  # tokens of the longest text, [CLS] and [SEP] included
    share: float = 0.15  # of the words are hidden; BERT's
    pooling: Literal["cls", "mean"] = "mean"  # the tiny [CLS] has not learned to sum up
    steps: int = 200  # of a fine-tuning
    rows: int = 32  # sentences of each step
    fine_rate: float = 5e-4  # the peak of the learning rate

    @property
    def fine_tuning(self) -> Profile:
        """The settings of a fine-tuning: one epoch, which has all its steps."""
        return replace(self, epochs=1, learning_rate=self.fine_rate, average_from=0.5)


PROFILES = {
    "tiny": MaskedLanguageProfile(
        "tiny",
        "generated_sentences",
        TransformerConfig(n_layers=2, d_model=32, n_heads=4, d_ff=64, dropout=0.0),
        vocab_size=1000,
        epochs=8,
        max_tokens=512,
        learning_rate=5e-3,
        min_frequency=1,
        unlabelled=("generated_sentences",),
        length=32,
        steps=40,
        rows=16,
        fine_rate=3e-3,
    ),
    "cpu": MaskedLanguageProfile(
        "cpu",
        "sst2_sentences",
        # Pre-norm, unlike BERT: after the first epoch its gaps have a perplexity of 387, not 411.
        TransformerConfig(
            n_layers=2, d_model=128, n_heads=4, d_ff=512, dropout=0.1, norm_first=True
        ),
        vocab_size=10_000,
        epochs=10,
        max_tokens=1024,
        learning_rate=2e-3,
        unlabelled=("sst2_sentences", "imdb_small"),
        share=0.3,  # the texts are few, and more is asked of each (Wettig et al. 2023)
    ),
}

# How a published encoder is fine-tuned: three passes over 1,000 sentences, or as many steps over
# fewer. Low-rank adapters begin at zero and learn at a rate of their own.
PUBLISHED = MaskedLanguageProfile(
    "published",
    "sst2_sentences",
    TransformerConfig(n_layers=6, d_model=384, n_heads=12, d_ff=1536, dropout=0.1),
    vocab_size=30_522,
    epochs=0,  # others have read
    steps=94,
    fine_rate=1e-4,
)
LOW_RANK, LOW_RANK_RATE = 8, 2e-3


def profile(name: str) -> MaskedLanguageProfile:
    """The profile of this name. Raises ValueError, listing the known ones."""
    return chosen(PROFILES, name)
