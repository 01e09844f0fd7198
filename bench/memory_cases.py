"""The cases of `course bench memory`: the same texts and the same model, with other switches."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from course_lib.data.packed_texts import PackedBatch, PackedTexts
from course_lib.families.language_model import LanguageModel
from course_lib.fast.forms import fast_model

END = 3


@dataclass(frozen=True)
class Case:
    """The switches of a training."""

    accumulate: int = 1
    recompute: bool = False
    precision: str = "no"
    packed: bool = False


CASES = {
    "plain": Case(),
    "accumulate": Case(accumulate=4),
    "recompute": Case(recompute=True),
    "bf16": Case(precision="bf16"),
    "packed": Case(packed=True),
    "recompute_accumulate": Case(accumulate=4, recompute=True),
    "recompute_bf16": Case(recompute=True, precision="bf16"),
    "packed_recompute": Case(recompute=True, packed=True),
    "packed_recompute_accumulate": Case(accumulate=4, recompute=True, packed=True),
    "all": Case(accumulate=4, recompute=True, precision="bf16", packed=True),
}


@dataclass(frozen=True)
class Sizes:
    """How large the model and its texts are."""

    n_layers: int
    d_model: int
    n_heads: int
    vocab_size: int
    texts: int
    length: int  # of the longest text, and of a packed row

    @property
    def smallest(self) -> Sizes:
        """The same at a size that costs nothing."""
        return replace(self, n_layers=1, d_model=2 * self.n_heads, vocab_size=50, length=8)

    @property
    def described(self) -> str:
        return (
            f"random, {self.texts} texts of up to {self.length} tokens; a language model of "
            f"{self.n_layers} layers, d_model {self.d_model}, vocabulary {self.vocab_size}"
        )


def sizes() -> Sizes:
    """For this machine: on a GPU, a size that keeps it busy."""
    if torch.cuda.is_available():
        return Sizes(12, 768, 12, 32_000, texts=64, length=512)
    return Sizes(6, 128, 4, 2000, texts=48, length=96)


def model(given: Sizes) -> nn.Module:
    """The language model of these sizes, always with the same weights, without dropout."""
    torch.manual_seed(0)
    return fast_model(
        LanguageModel,
        given.vocab_size,
        n_layers=given.n_layers,
        d_model=given.d_model,
        n_heads=given.n_heads,
        d_ff=4 * given.d_model,
        dropout=0.0,
        max_length=given.length,
    )


class Steps(list[tuple[Tensor, ...]]):
    """The batches of an epoch, the same in every epoch."""

    def set_epoch(self, epoch: int) -> None:
        pass


def batches(case: Case, given: Sizes, steps: int) -> Steps:
    """The batches of `steps` optimizer steps, each on all the texts."""
    whole = _packed(given) if case.packed else _padded(given)
    parts = [part.tensor_split(case.accumulate) for part in whole]
    return Steps([PackedBatch(*part) for part in zip(*parts, strict=True)] * steps)


def _texts(given: Sizes) -> list[list[int]]:
    """Random texts whose lengths are spread as those of sentences are: a few are long."""
    rng = np.random.default_rng(0)
    lengths = (given.length * rng.lognormal(-1.3, 0.5, given.texts)).astype(int)
    lengths = lengths.clip(1, given.length - 1)
    lengths[0] = given.length - 1  # with END before it, the longest fills a row
    return [rng.integers(4, given.vocab_size, n).tolist() for n in lengths]


def _packed(given: Sizes) -> PackedBatch:
    texts = _texts(given)
    (batch,) = PackedTexts(texts, END, given.length, batch_size=len(texts))
    return batch


def _padded(given: Sizes) -> PackedBatch:
    """A row for each text."""
    batch = PackedBatch(*torch.zeros(3, given.texts, given.length, dtype=torch.long))
    for row, text in enumerate(_texts(given)):
        n = len(text) + 1
        batch.token_ids[row, :n] = torch.tensor([END, *text])
        batch.labels[row, :n] = torch.tensor([*text, END])
        batch.texts[row, :n] = 1
    return batch
