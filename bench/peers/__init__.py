"""Loads our `Transformer` weights into CTranslate2, Hugging Face's Marian and Joey NMT.

A peer is a function from sentences to translations, both as token ids without start and end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from course_lib.attention import MultiHeadAttention
from course_lib.data.batching import batches_in_order
from course_lib.data.tokenizer import END, START
from course_lib.decoding.translator import BATCH_TOKENS
from course_lib.feed_forward import FeedForward
from course_lib.normalization import LayerNorm
from grader.course.problem import Problem

LONGEST_SOURCE = 512
Ids = list[int]
Peer = Callable[[Sequence[Ids]], list[Ids]]

_EXTRA = "pip install -e .[bench]"
INSTALL = {
    "ctranslate2": _EXTRA,
    "transformers": _EXTRA,
    # Without dependencies, because it pins protobuf to a version of 2022.
    "joeynmt": (
        "pip install --no-deps --target DIR joeynmt importlib-metadata zipp lazy-importer "
        "sentencepiece sacremoses subword-nmt, and put DIR on PYTHONPATH"
    ),
}


class PeerError(Problem):
    """A peer is not installed or does not support this model."""


class Beam(NamedTuple):
    """Beam width, exponent of the length penalty, and greatest length in tokens."""

    width: int
    length_penalty: float
    longest: int


class Parts(NamedTuple):
    """The parts of one encoder or decoder layer (a decoder layer has two attentions)."""

    attentions: list[MultiHeadAttention]
    feed_forward: FeedForward
    norms: list[LayerNorm]


def package(name: str) -> Any:
    """Import a peer's package or module. Raises PeerError saying what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        root = name.partition(".")[0]
        raise PeerError(f"{root} cannot be imported ({error}): {INSTALL[root]}") from None


def parts(layer: Any) -> Parts:
    """The parts of one of our layers, in the order of its sub-layers."""
    names = [n for n in ("attention", "self_attention", "cross_attention") if hasattr(layer, n)]
    norms = [getattr(layer, f"{name}_residual").norm for name in (*names, "feed_forward")]
    return Parts([getattr(layer, name) for name in names], layer.feed_forward, norms)


def copy_norm(theirs: nn.LayerNorm, ours: LayerNorm) -> None:
    """Copy the parameters and epsilon."""
    theirs.load_state_dict(ours.state_dict())
    theirs.eps = ours.eps


def in_batches(search: Callable[[Tensor], Sequence[Ids]]) -> Peer:
    """A peer that runs `search` on our batches; START and END in its results are optional."""

    def translate(sentences: Sequence[Ids]) -> list[Ids]:
        found: dict[int, Ids] = {}
        with torch.inference_mode():
            for indices, source_ids in batches_in_order(sentences, BATCH_TOKENS):
                translations = search(source_ids)
                found.update(zip(indices.tolist(), map(_between, translations), strict=True))
        return [found[index] for index in range(len(sentences))]

    return translate


def _between(ids: Ids) -> Ids:
    ids = ids[1:] if ids[:1] == [START] else ids
    return ids[: ids.index(END)] if END in ids else ids
