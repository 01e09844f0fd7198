"""A trained Transformer with its tokenizer: translate sentences, save to and load from a folder.

    translator = Translator.load("submission")
    translator.translate(["Two dogs play in the snow."])

The folder holds `translation.safetensors`, `config.json` and `tokenizer.json`.

Paper statements R64, R67 (lectures/paper_audit.md).
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from ..config import TransformerConfig
from ..data.batching import batches_in_order
from ..data.tokenizer import END, START, Tokenizer
from ..evaluation_mode import evaluating
from ..fast.cached_decoder import FastDecoder
from ..training.saved_model import TRANSLATOR_WEIGHTS as WEIGHTS
from ..training.saved_model import save_model
from ..transformer import Transformer
from ..transformer_variants import VariantConfig, VariantTransformer
from . import model_folder
from .search import Hypothesis, beam_search

BATCH_TOKENS, BEAMS = 4096, 5  # translated together, padding included; fewer of a wider beam
LENGTH_PENALTY = 0.6  # the default; §6.1 — "length penalty α = 0.6"

Engine = Literal["torch", "ctranslate2"]

# `start(source_ids)`, which gives the initial state, and the `step` of a search.
Decoding = tuple[Callable[[Tensor], Any], Callable[[Tensor, Any], tuple[Tensor, Any]]]


class TranslationError(Exception):
    """A folder without a usable translator, in one sentence."""


def fast_decoding(model: Transformer) -> Decoding:
    """The decoding of `Translator`: the fast cache."""
    decoder = FastDecoder(model)
    return decoder.start, decoder.step


def search(
    model: Transformer,
    source_ids: Sequence[Sequence[int]],
    width: int,
    length_penalty: float,
    max_tokens: int = 100,
    n_best: int = 1,
    decoding: Callable[[Transformer], Decoding] = fast_decoding,
) -> list[list[Hypothesis]]:
    """The `n_best` hypotheses of each sentence (§6.1), computed on the model's device.

    Sentences are searched in batches of similar length; the result does not depend on the batches.
    """
    device = model.embedding.tokens.weight.device
    found: dict[int, list[Hypothesis]] = {}
    with evaluating(model), torch.inference_mode():
        start, step = decoding(model)
        tokens = BATCH_TOKENS * BEAMS // max(BEAMS, width)
        for indices, batch in batches_in_order(source_ids, tokens):
            hypotheses = beam_search(
                step,
                start(batch.to(device)),
                len(batch),
                width,
                length_penalty,
                max_tokens,
                n_best,
                START,
                END,
                device,
            )
            found.update(zip(indices.tolist(), hypotheses, strict=True))
    return [found[index] for index in range(len(source_ids))]


class Translator:
    """`model` and its `tokenizer`, which must be reversible.

    The model is not copied, so translations can be inspected during training. `length_penalty` is
    the default of searches. `engine` runs them: "torch", or "ctranslate2", which finds the same
    translations sooner, on the CPU and with the weights as they are now; see `in_ctranslate2`.

    Raises TranslationError for an engine that is not installed, or cannot run the model.
    """

    def __init__(
        self,
        model: Transformer,
        tokenizer: Tokenizer,
        length_penalty: float = LENGTH_PENALTY,
        engine: Engine = "torch",
    ) -> None:
        self.model, self.tokenizer, self.length_penalty = model, tokenizer, length_penalty
        self._search = partial(search, model) if engine == "torch" else _in_ctranslate2(model)

    def translate(
        self,
        texts: Sequence[str],
        width: int = 5,
        length_penalty: float | None = None,
        max_tokens: int = 100,
    ) -> list[str]:
        """One translation per text, by beam search of `width` (§6.1); 1 is greedy search.

        A translation has at most `max_tokens` tokens. Raises TranslationError for a model of NaNs.
        """
        found = self.search(texts, width, length_penalty, max_tokens)
        if not all(found):
            raise TranslationError(
                "the model gives no translation a probability: its weights may be NaN, as after a "
                "training that diverged; train it again"
            )
        return [self.tokenizer.decode(hypotheses[0].tokens) for hypotheses in found]

    def search(
        self,
        texts: Sequence[str],
        width: int = 5,
        length_penalty: float | None = None,
        max_tokens: int = 100,
        n_best: int = 1,
    ) -> list[list[Hypothesis]]:
        """The `n_best` hypotheses of each text, as token ids with scores."""
        source_ids = self.tokenizer.encode(texts)
        penalty = self.length_penalty if length_penalty is None else length_penalty
        return self._search(source_ids, width, penalty, max_tokens, n_best)

    @property
    def arguments(self) -> dict[str, Any]:
        """The constructor arguments of the model."""
        varies = isinstance(self.model, VariantTransformer)
        return {
            "vocab_size": self.model.embedding.tokens.num_embeddings,
            **(VariantConfig if varies else TransformerConfig).of(self.model).arguments,
            "pad_id": self.model.pad_id,
        }

    def save(self, folder: str | Path) -> Path:
        """Write the model and tokenizer for `load`; returns the folder."""
        measured = {"length_penalty": self.length_penalty}
        about = {"model": self.arguments, "measured": measured}
        return save_model(folder, WEIGHTS, self.model, about, self.tokenizer)

    @classmethod
    def load(cls, folder: str | Path, engine: Engine = "torch") -> "Translator":
        """Read what `save` wrote and use fast forms. Raises TranslationError."""
        folder = Path(folder)
        lacks, advice = f"{folder} has no usable translator", "train one first, as in assignment 4"
        with model_folder.refusing(TranslationError, lacks, advice):
            model, tokenizer, about = model_folder.read(folder, WEIGHTS, _of_any_widths)
            penalty = float(about.get("measured", {}).get("length_penalty", LENGTH_PENALTY))
        return cls(model, tokenizer, penalty, engine)


def _in_ctranslate2(model: Transformer) -> Callable[..., list[list[Hypothesis]]]:
    try:
        from .in_ctranslate2 import CTranslate2Search

        return CTranslate2Search(model)
    except (ImportError, TypeError) as error:
        raise TranslationError(
            f'the engine "ctranslate2" cannot be used ({error}): pip install ctranslate2, or use '
            'engine="torch"'
        ) from None


def _of_any_widths(**settings: Any) -> Transformer:
    """The Transformer, or the one of Table 3's rows, of a translator's settings."""
    return VariantTransformer(**settings) if "d_k" in settings else Transformer(**settings)
