"""A text as BERT reads it: [CLS] … [SEP]."""

from collections.abc import Sequence

from .tokenizer import CLS, SEP


def marked(sequence: Sequence[int], max_length: int) -> list[int]:
    """`[CLS] sequence [SEP]`, at most `max_length` long: the sequence is cut, the marks stay."""
    return [CLS, *sequence[: max_length - 2], SEP]
