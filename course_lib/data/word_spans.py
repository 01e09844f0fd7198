"""Map the tokens of a text to its words."""

from .grammar.sentence_pairs import WORD
from .tokenizer import Tokenizer


def word_numbers(tokenizer: Tokenizer, text: str) -> list[int]:
    """For each token of `text`, the index of its word in `words(text)`, or −1 if it has none."""
    spans = [match.span() for match in WORD.finditer(text)]
    numbers = []
    for first, end in tokenizer.spans(text):
        inside = [n for n, (start, stop) in enumerate(spans) if start < end and stop > first]
        numbers.append(inside[-1] if inside else -1)
    return numbers
