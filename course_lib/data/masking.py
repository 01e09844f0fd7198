"""Hide words for a masked language model, as BERT does (Devlin et al. 2019, section 3.1)."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from .batching import Batch
from .tokenization import TextTokenizer
from .tokenizer import SPECIAL

IGNORED = -100  # the target of a token that is not asked for; torch's losses leave it out


def mask_tokens(
    token_ids: Tensor, vocab_size: int, generator: torch.Generator, share: float = 0.15
) -> tuple[Tensor, Tensor]:
    """`(inputs, targets)`: a share of the words is chosen, and asked for in `targets`.

    Of those chosen, 80 % become [MASK], 10 % a random word and 10 % stay, because the texts that
    the model is made for contain no [MASK]. Special tokens, such as [CLS] and padding, are never
    chosen. The target of every other token is IGNORED. `token_ids` is not changed. Raises
    ValueError unless 0 < share < 1.
    """
    if not 0 < share < 1:
        raise ValueError(f"share = {share}: give a share of words, more than 0 and less than 1")
    draw = torch.rand(token_ids.shape, generator=generator)
    words = torch.randint(len(SPECIAL), vocab_size, token_ids.shape, generator=generator)
    chosen = (draw < share) & (token_ids >= len(SPECIAL))
    inputs = token_ids.masked_fill(chosen & (draw < 0.8 * share), TextTokenizer.MASK)
    inputs = torch.where(chosen & (draw >= 0.9 * share), words, inputs)
    return inputs, token_ids.masked_fill(~chosen, IGNORED)


class MaskedBatches:
    """Batches `(inputs, targets)` of a `TokenBuckets`, without its labels, for `fit`.

    Batches of another kind, such as `(token_ids, segment_ids, unrelated)`, keep their other fields.
    What is hidden is drawn anew in every epoch, from `seed` and the epoch alone, so call
    `set_epoch` before each.
    """

    def __init__(self, batches: Any, vocab_size: int, share: float = 0.15, seed: int = 0) -> None:
        self.batches, self.vocab_size, self.share, self.seed = batches, vocab_size, share, seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which determines the order and what is hidden."""
        self.epoch = epoch
        self.batches.set_epoch(epoch)

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[tuple[Tensor, ...]]:
        generator = torch.Generator().manual_seed(2**20 * self.seed + self.epoch)
        for batch in self.batches:
            others = () if isinstance(batch, Batch) else batch[1:]
            yield *mask_tokens(batch[0], self.vocab_size, generator, self.share), *others
