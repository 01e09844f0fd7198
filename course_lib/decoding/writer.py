"""A trained language model with its tokenizer: continue a text, save to and load from a folder.

    writer = Writer.load("language_model")
    writer.write(["Two dogs"], max_new_tokens=20, top_p=0.9)

The folder holds `language_model.safetensors`, `config.json` and `tokenizer.json`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..data.tokenizer import END, Tokenizer
from ..evaluation_mode import evaluating
from ..families.cached_attention import CachedAttention
from ..families.language_model import LanguageModel
from ..training.saved_model import TRANSLATOR_WEIGHTS, save_model
from ..training.saved_model import WEIGHTS as CLASSIFIER_WEIGHTS
from . import model_folder
from .generate import generate

WEIGHTS = "language_model.safetensors"
OTHERS = {TRANSLATOR_WEIGHTS: "a translator", CLASSIFIER_WEIGHTS: "a classifier"}


class WriterError(Exception):
    """A folder without a usable language model, or a prompt that is too long, in one sentence."""

    exit_code = 2  # of a command that it ends


class Writer:
    """`model` and its `tokenizer`, which must be reversible."""

    def __init__(self, model: LanguageModel, tokenizer: Tokenizer) -> None:
        self.model, self.tokenizer = model, tokenizer

    def write(self, prompts: Sequence[str], max_new_tokens: int = 40, **how: Any) -> list[str]:
        """Each prompt with what the model writes after it, up to the end of the text.

        An empty prompt lets the model begin the text. `how`: `temperature`, `top_k`, `top_p` and
        `generator` of `generate`. Raises WriterError for more tokens than the model has positions,
        before it writes any.
        """
        found = self.tokenizer.encode(list(prompts))
        read = [[END, *(ids if text else [])] for text, ids in zip(prompts, found, strict=True)]
        n = max(map(len, read), default=0)
        if self.model.positions is not None:
            room = self.model.positions.num_embeddings
            if n + max_new_tokens - 1 > room:  # the last new token is not read again
                raise WriterError(
                    f"the prompt has {n - 1} tokens and {max_new_tokens} more are asked for, but "
                    f"the model learned {room} positions: give a shorter prompt, or ask for less"
                )
        with evaluating(self.model):
            new = generate(self.model, read, max_new_tokens, end=END, **how)
        return [self.tokenizer.decode([*a, *b]) for a, b in zip(read, new, strict=True)]

    @property
    def arguments(self) -> dict[str, Any]:
        """The constructor arguments of the model. Raises ValueError for other attention."""
        model: Any = self.model
        block = model.blocks[0]
        if type(block.attention) is not CachedAttention:
            raise ValueError(f"a model with {type(block.attention).__name__} cannot be saved")
        learned = {}
        if model.positions is not None:
            learned["max_length"] = model.positions.num_embeddings
        return {
            "vocab_size": model.tokens.num_embeddings,
            "n_layers": len(model.blocks),
            "d_model": model.tokens.embedding_dim,
            "n_heads": block.attention.n_heads,
            "d_ff": block.feed_forward.w_1.out_features,
            "dropout": model.dropout.p,
            "positions": model.kind,
            **learned,
            "pad_id": model.pad_id,
            "position_scale": model.position_scale,
        }

    def save(self, folder: str | Path) -> Path:
        """Write the model and tokenizer for `load`; returns the folder."""
        return save_model(folder, WEIGHTS, self.model, {"model": self.arguments}, self.tokenizer)

    @classmethod
    def load(cls, folder: str | Path) -> "Writer":
        """Read what `save` wrote and use fast forms. Raises WriterError."""
        folder = Path(folder)
        if not folder.is_dir():
            raise WriterError(f"{folder}: there is no such folder; name that of a language model")
        for weights, other in OTHERS.items():
            if (folder / weights).is_file() and not (folder / WEIGHTS).is_file():
                raise WriterError(f"{folder} holds {other}, and this needs a language model")
        lacks = f"{folder} has no usable language model"
        with model_folder.refusing(WriterError, lacks, "save one first"):
            model, tokenizer, _ = model_folder.read(folder, WEIGHTS, LanguageModel)
        return cls(model, tokenizer)
