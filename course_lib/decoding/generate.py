"""Text from a language model: each token is drawn from the model's distribution, and read again."""

from collections.abc import Sequence

import torch
from torch import Tensor

from ..families.cached_attention import KeysAndValues
from ..families.language_model import LanguageModel
from .sampling import sampling_distribution


def next_tokens(
    logits: Tensor,
    temperature: float,
    top_k: int | None,
    top_p: float | None,
    generator: torch.Generator | None,
) -> Tensor:
    """One token for each row of logits, drawn as `generate` says."""
    if temperature == 0:
        return logits.argmax(dim=-1)
    log_probabilities = torch.log_softmax(logits, dim=-1)
    probabilities = sampling_distribution(log_probabilities, temperature, top_k, top_p)
    return torch.multinomial(probabilities, 1, generator=generator)[:, 0]


@torch.no_grad()
def generate(
    model: LanguageModel,
    prompts: Sequence[Sequence[int]],
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    end: int | None = None,
    generator: torch.Generator | None = None,
) -> list[list[int]]:
    """The tokens that follow each prompt, at most `max_new_tokens`; prompts may differ in length.

    Temperature 0 takes the most likely token; for others, `top_k` and `top_p`, see
    `sampling_distribution`. A text is done before `end`, which is not returned. Keys and values are
    cached, so each step reads one token of each text.
    Raises ValueError for an empty prompt, and for more tokens than the model has positions.
    """
    if not prompts or not all(prompts):
        raise ValueError("a prompt is empty: give at least one token, such as the start token")
    device, pad = model.tokens.weight.device, model.pad_id
    n = max(map(len, prompts))
    rows = torch.tensor([[pad] * (n - len(one)) + list(one) for one in prompts], device=device)
    cache = [KeysAndValues() for _ in model.blocks]
    written: list[list[int]] = [[] for _ in prompts]
    left = torch.arange(len(prompts), device=device)  # the text of each remaining row
    for _ in range(max_new_tokens):
        tokens = next_tokens(model(rows, cache)[:, -1], temperature, top_k, top_p, generator)
        going = torch.ones_like(tokens, dtype=torch.bool) if end is None else tokens != end
        for text, token in zip(left[going].tolist(), tokens[going].tolist(), strict=True):
            written[text].append(token)
        if not going.any():
            break
        rows = torch.cat([rows, tokens[:, None]], dim=1)
        if not going.all():
            kept = going.nonzero()[:, 0]
            rows, left = rows[kept], left[kept]
            for entry in cache:
                entry.keep(kept)
    return written
