"""How many parameters the models of Table 3 have, counted with the library's own layers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch

from course_lib.config import PRESETS, TransformerConfig
from course_lib.transformer import Transformer

PAPERS_TOKENS = 37_000  # §5.1 — "about 37000 tokens"


@dataclass(frozen=True)
class ModelSize:
    """The size of one model, over a vocabulary of the paper's size."""

    config: TransformerConfig

    @cached_property
    def millions(self) -> float:
        """Its parameters in millions, to one decimal."""
        with torch.device("meta"):  # shapes without memory
            model = Transformer(PAPERS_TOKENS, **self.config.arguments)
        return round(sum(parameter.numel() for parameter in model.parameters()) / 1e6, 1)


SIZES = {name: ModelSize(config) for name, config in PRESETS.items()}
