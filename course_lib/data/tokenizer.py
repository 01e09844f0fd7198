"""The interface of a tokenizer, and the special tokens that all of them share.

`tokenization.TextTokenizer` is one; another only needs these methods and these ids.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")  # ids 0 to 4
PAD, UNK, CLS, SEP, MASK = range(len(SPECIAL))
START, END = CLS, SEP  # of a translation


@runtime_checkable
class Tokenizer(Protocol):
    """Turns texts into ids, which begin with the special tokens, and back."""

    @property
    def vocab_size(self) -> int:
        """Number of tokens, special ones included."""
        ...

    def encode(self, texts: Sequence[str], max_length: int = 512) -> list[list[int]]:
        """One list of ids per text, at most `max_length` long and never empty."""
        ...

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids, without special tokens."""
        ...

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """The tokens of the given ids."""
        ...

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The span [start, end) in the text of each token of `encode([text])`."""
        ...

    def save(self, path: Path) -> None:
        """Write the tokenizer into a file."""
        ...
