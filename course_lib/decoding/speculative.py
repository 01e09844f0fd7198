"""Speculative decoding: a small model guesses some tokens, a large one checks them in one call.

The text is that of the large model alone, token by token: only the number of its calls is smaller.
"""

from collections.abc import Sequence

import torch

from ..families.cached_attention import KeysAndValues
from ..families.language_model import LanguageModel


class _Reader:
    """A model with the keys and values of what it has read."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.cache = [KeysAndValues() for _ in model.blocks]

    def choices(self, text: Sequence[int]) -> list[int]:
        """The most likely token after each position that was not read yet, in one call."""
        ids = torch.tensor([text], device=self.model.tokens.weight.device)
        return self.model(ids, self.cache)[0].argmax(dim=-1).tolist()

    def forget(self, n: int) -> None:
        """Keep what was read of the first n tokens."""
        for entry in self.cache:
            if entry.keys is not None and entry.values is not None:
                entry.keys, entry.values = entry.keys[:, :, :n], entry.values[:, :, :n]


@torch.no_grad()
def speculate(
    large: LanguageModel,
    small: LanguageModel,
    prompt: Sequence[int],
    max_new_tokens: int,
    ahead: int = 4,
    end: int | None = None,
) -> tuple[list[int], int]:
    """`(tokens, calls)`: the greedy text of `large` after the prompt, and the number of its calls.

    `small` guesses `ahead` tokens, and one call of `large` reads them all. The guesses that agree
    with its own choices are kept, up to the first one that does not; its choice replaces that one.
    Both need the same vocabulary. Raises ValueError for an empty prompt.
    """
    if not prompt:
        raise ValueError("the prompt is empty: give at least one token, such as the start token")
    judge, guesser = _Reader(large), _Reader(small)
    text, calls = list(prompt), 0
    last = len(prompt) + max_new_tokens
    while len(text) < last and (end is None or end not in text[len(prompt) :]):
        guessed = list(text)
        for _ in range(min(ahead, last - len(text) - 1)):
            guessed.append(guesser.choices(guessed)[-1])
        chosen = judge.choices(guessed)[-(len(guessed) - len(text) + 1) :]
        calls += 1
        guesses = guessed[len(text) :]
        agreed = next((i for i, g in enumerate(guesses) if g != chosen[i]), len(guesses))
        text += chosen[: agreed + 1]
        for reader in (judge, guesser):
            reader.forget(len(text) - 1)
    written = text[len(prompt) :]
    return written[: written.index(end)] if end in written else written, calls
